//! Machines for tests: files by path.

use std::collections::HashMap;

#[derive(Clone)]
pub struct Files(HashMap<String, String>);

impl Files {
    /// Two sockets of two cores of two threads, an L3 cache each; node 1 is the second socket's, node 4 has
    /// memory alone and is nearer to the first. Core `c` has threads `c` and `c + 4`.
    pub fn two_sockets_and_memory() -> Files {
        let mut files = Files(HashMap::new());
        files.put("node/online", "0-1,4\n");
        let nodes = [
            (0, "0-1,4-5", 32u64, "10 21 17"),
            (1, "2-3,6-7", 32, "21 10 28"),
            (4, "", 128, "17 28 10"),
        ];
        for (number, cpus, memory_gib, distances) in nodes {
            let file = |name: &str| format!("node/node{number}/{name}");
            files.put(&file("cpulist"), cpus);
            files.put(&file("distance"), distances);
            let total = format!("Node {number} MemTotal:  {} kB\n", memory_gib << 20);
            files.put(&file("meminfo"), &total);
        }
        for cpu in 0u32..8 {
            let core = cpu % 4;
            let threads = format!("{core},{}", core + 4);
            let socket = if core < 2 { "0-1,4-5" } else { "2-3,6-7" };
            let file = |name: &str| format!("cpu/cpu{cpu}/{name}");
            files.put(&file("topology/package_cpus_list"), socket);
            files.put(&file("topology/core_cpus_list"), &threads);
            let caches = [
                ("1", "Data", "32K", threads.as_str()),
                ("1", "Instruction", "32K", threads.as_str()),
                ("2", "Unified", "1024K", threads.as_str()),
                ("3", "Unified", "16M", socket),
            ];
            for (index, (level, kind, size, shared)) in caches.into_iter().enumerate() {
                let file = |name: &str| file(&format!("cache/index{index}/{name}"));
                files.put(&file("level"), level);
                files.put(&file("type"), kind);
                files.put(&file("size"), size);
                files.put(&file("shared_cpu_list"), shared);
            }
        }
        files
    }

    /// The same with another content of one file, below `/sys/devices/system` unless its path is whole.
    pub fn with(&self, path: &str, text: &str) -> Files {
        let mut files = self.clone();
        files.put(path, text);
        files
    }

    pub fn read(&self, path: &str) -> Option<String> {
        self.0.get(path).cloned()
    }

    fn put(&mut self, path: &str, text: &str) {
        let whole = path.starts_with('/');
        let path = if whole { path.to_owned() } else { format!("/sys/devices/system/{path}") };
        self.0.insert(path, text.to_owned());
    }
}
