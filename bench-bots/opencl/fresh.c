/* The workloads of the suite `fresh`, round by round, and the texts of their kernels. */
#include "incbin.h"
#include "workloads.h"

TEXT(round1_map)
TEXT(round1_grid)
TEXT(round1_rows)
TEXT(round1_group)
TEXT(round1_search)
TEXT(round1_body)
TEXT(round2_image)
TEXT(round2_tile)
TEXT(round2_field)
TEXT(round3_layers)
TEXT(round3_solvers)
TEXT(round3_words)
TEXT(round3_models)
TEXT(round4_image)
TEXT(round4_scene)
TEXT(round4_batch)
TEXT(round4_stream)
TEXT(round5_picture)
TEXT(round5_space)
TEXT(round5_numbers)
TEXT(round5_data)
TEXT(round6_image)
TEXT(round6_fields)
TEXT(round6_models)
TEXT(round6_codes)
TEXT(round7_image)
TEXT(round7_physics)
TEXT(round7_learning)
TEXT(round7_data)
TEXT(round8_image)
TEXT(round8_space)
TEXT(round8_learning)
TEXT(round8_data)
TEXT(round9_image)
TEXT(round9_space)
TEXT(round9_models)
TEXT(round9_numbers)
TEXT(round10_image)
TEXT(round10_space)
TEXT(round10_models)
TEXT(round10_data)
TEXT(round11_scene)
TEXT(round11_fields)
TEXT(round11_models)
TEXT(round11_data)
TEXT(round12_image)
TEXT(round12_numbers)
TEXT(round12_models)
TEXT(round12_data)
TEXT(round13_signal)
TEXT(round13_physics)
TEXT(round13_models)
TEXT(round13_data)
TEXT(round14_image)
TEXT(round14_models)
TEXT(round14_science)
TEXT(round14_data)
TEXT(round15_vision)
TEXT(round15_models)
TEXT(round15_science)
TEXT(round15_data)
TEXT(round16_image)
TEXT(round16_models)
TEXT(round16_science)
TEXT(round16_data)
TEXT(round17_image)
TEXT(round17_models)
TEXT(round17_science)
TEXT(round17_data)
TEXT(round18_image)
TEXT(round18_models)
TEXT(round18_science)
TEXT(round18_data)
TEXT(round18_graphs)
TEXT(round19_image)
TEXT(round19_models)
TEXT(round19_sound)
TEXT(round19_science)
TEXT(round19_data)
TEXT(round20_scene)
TEXT(round20_models)
TEXT(round20_markets)
TEXT(round20_robots)
TEXT(round20_data)
TEXT(round21_media)
TEXT(round21_maps)
TEXT(round21_engineering)
TEXT(round21_models)
TEXT(round21_data)
TEXT(round22_instruments)
TEXT(round22_ciphers)
TEXT(round22_shapes)
TEXT(round22_molecules)
TEXT(round22_models)
TEXT(round23_radio)
TEXT(round23_earth)
TEXT(round23_pictures)
TEXT(round23_steps)
TEXT(round23_data)
TEXT(round24_tensors)
TEXT(round24_science)
TEXT(round24_games)
TEXT(round24_figures)
TEXT(round24_words)
TEXT(round25_algebra)
TEXT(round25_fields)
TEXT(round25_pictures)
TEXT(round25_streams)
TEXT(round25_choices)
TEXT(round26_numbers)
TEXT(round26_models)
TEXT(round26_scans)
TEXT(round26_worlds)
TEXT(round26_signals)
TEXT(round27_secrets)
TEXT(round27_scenes)
TEXT(round27_sciences)
TEXT(round27_learning)
TEXT(round27_rows)
TEXT(round28_pictures)
TEXT(round28_physics)
TEXT(round28_shapes)
TEXT(round28_learning)
TEXT(round28_records)
TEXT(round29_waves)
TEXT(round29_models)
TEXT(round29_media)
TEXT(round29_networks)
TEXT(round29_matter)

const struct workload *const workload_tables[] = {
    round1_map_workloads,    round1_grid_workloads,    round1_rows_workloads,  round1_group_workloads,
    round1_search_workloads, round1_body_workloads,    round2_image_workloads, round2_tile_workloads,
    round2_field_workloads,  round3_layers_workloads,  round3_solvers_workloads,
    round3_words_workloads,  round3_models_workloads,  round4_image_workloads, round4_scene_workloads,
    round4_batch_workloads,  round4_stream_workloads,  round5_picture_workloads, round5_space_workloads,
    round5_numbers_workloads, round5_data_workloads,   round6_image_workloads, round6_fields_workloads,
    round6_models_workloads, round6_codes_workloads,   round7_image_workloads, round7_physics_workloads,
    round7_learning_workloads, round7_data_workloads,  round8_image_workloads, round8_space_workloads,
    round8_learning_workloads, round8_data_workloads,  round9_image_workloads, round9_space_workloads,
    round9_models_workloads, round9_numbers_workloads, round10_image_workloads, round10_space_workloads,
    round10_models_workloads, round10_data_workloads,  round11_scene_workloads, round11_fields_workloads,
    round11_models_workloads, round11_data_workloads,  round12_image_workloads, round12_numbers_workloads,
    round12_models_workloads, round12_data_workloads,  round13_signal_workloads, round13_physics_workloads,
    round13_models_workloads, round13_data_workloads,  round14_image_workloads, round14_models_workloads,
    round14_science_workloads, round14_data_workloads, round15_vision_workloads, round15_models_workloads,
    round15_science_workloads, round15_data_workloads, round16_image_workloads, round16_models_workloads,
    round16_science_workloads, round16_data_workloads, round17_image_workloads, round17_models_workloads,
    round17_science_workloads, round17_data_workloads, round18_image_workloads, round18_models_workloads,
    round18_science_workloads, round18_data_workloads, round18_graphs_workloads, round19_image_workloads,
    round19_models_workloads, round19_sound_workloads, round19_science_workloads, round19_data_workloads,
    round20_scene_workloads, round20_models_workloads, round20_markets_workloads, round20_robots_workloads,
    round20_data_workloads, round21_media_workloads, round21_maps_workloads, round21_engineering_workloads,
    round21_models_workloads, round21_data_workloads, round22_instruments_workloads, round22_ciphers_workloads,
    round22_shapes_workloads, round22_molecules_workloads, round22_models_workloads, round23_radio_workloads,
    round23_earth_workloads, round23_pictures_workloads, round23_steps_workloads, round23_data_workloads,
    round24_tensors_workloads, round24_science_workloads, round24_games_workloads, round24_figures_workloads,
    round24_words_workloads, round25_algebra_workloads, round25_fields_workloads, round25_pictures_workloads,
    round25_streams_workloads, round25_choices_workloads, round26_numbers_workloads, round26_models_workloads,
    round26_scans_workloads, round26_worlds_workloads, round26_signals_workloads, round27_secrets_workloads,
    round27_scenes_workloads, round27_sciences_workloads, round27_learning_workloads, round27_rows_workloads,
    round28_pictures_workloads, round28_physics_workloads, round28_shapes_workloads, round28_learning_workloads,
    round28_records_workloads, round29_waves_workloads, round29_models_workloads, round29_media_workloads,
    round29_networks_workloads, round29_matter_workloads, NULL,
};
