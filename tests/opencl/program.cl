// Variables of the program: constants, tables, and values that stay from launch to launch.

constant int base = 17;
constant char text[] = "vicinity";
global int counter = 5;
global int memory[64];
global const float weights[3] = {0.25f, 0.5f, 0.25f};

// run 64 / 8 16: out int 64
kernel void constants(global int *out) { out[get_global_id(0)] = base + text[get_global_id(0) % 8] * (int)(weights[get_global_id(0) % 3] * 4); }

// run 64 / 8 16: out int 64, in int 64
kernel void stays(global int *out, global const int *in) {
    int g = get_global_id(0);
    memory[g] = memory[g] * 2 + in[g];
    out[g] = memory[g];
}

// run 64 / 8 16: out int 64
kernel void counts(global int *out) {
    atomic_inc(&counter);
    out[get_global_id(0)] = 1;
}

// run 1 / 1: out int 1
kernel void counted(global int *out) { out[0] = counter; }

global int *somewhere = &memory[3];

// run 1 / 1: out int 2
kernel void pointer_to_variable(global int *out) { *somewhere += 3; out[0] = memory[3]; out[1] = somewhere == &memory[3]; }

int next_of(int v) {
    static global int calls = 0;
    if (get_global_id(0) == 0) calls++;
    return v + (calls > 0 || get_global_id(0) > 0);
}

// run 8 / 8: out int 8
kernel void static_in_function(global int *out) { out[get_global_id(0)] = next_of(get_global_id(0)); }
