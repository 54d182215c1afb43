//! Decisions as pure values: scheduling, stealing, chunking, waiting.
