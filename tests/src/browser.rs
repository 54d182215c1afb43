//! A real browser, without a window: Chromium, driven by ChromeDriver through the WebDriver protocol.
//!
//! Source: W3C WebDriver, https://www.w3.org/TR/webdriver2/. One session for each `Browser`; it ends with it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// No sandbox, since tests may run as root in a container; nothing that asks the network.
const FLAGS: [&str; 8] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Browser {
    driver: Child,
    /// Kept open: ChromeDriver would die of writing to a closed one.
    _output: BufReader<ChildStdout>,
    port: u16,
    session: String,
    profile: PathBuf,
}

impl Browser {
    /// None where ChromeDriver is not installed. `scratch` is for the browser's files.
    pub fn start(scratch: &Path, (width, height): (u32, u32)) -> Option<Browser> {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut output = BufReader::new(driver.stdout.take().expect("its output is ours"));
        let port = port_of(&mut output);
        let profile = scratch.join(format!("chromium-{}", std::process::id()));
        let session = String::new();
        let mut browser = Browser { driver, _output: output, port, session, profile };
        let mut arguments: Vec<String> = FLAGS.map(str::to_string).to_vec();
        arguments.push(format!("--user-data-dir={}", browser.profile.display()));
        arguments.push(format!("--window-size={width},{height}"));
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL" },
        }}});
        let made = browser.call("POST", "/session", &wanted);
        browser.session = made["sessionId"].as_str().expect("a session").to_string();
        Some(browser)
    }

    pub fn open(&self, page: &Path) {
        let url = format!("file://{}", page.display());
        self.command("url", &json!({ "url": url }));
    }

    /// What a function body returns in the page.
    pub fn evaluate(&self, script: &str) -> Value {
        self.command("execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Waits until an expression is true.
    pub fn until(&self, expression: &str) {
        let start = Instant::now();
        while self.evaluate(&format!("return Boolean({expression})")) != json!(true) {
            assert!(start.elapsed() < PATIENCE, "never true: {expression}\n{:?}", self.log());
            sleep(Duration::from_millis(20));
        }
    }

    /// Moves the mouse along these places with its button down between the first and the last.
    pub fn drag(&self, places: &[(f64, f64)]) {
        let go = |&(x, y): &(f64, f64)| json!({ "type": "pointerMove", "duration": 30, "x": x as i64, "y": y as i64 });
        let mut actions = vec![go(&places[0]), json!({ "type": "pointerDown", "button": 0 })];
        actions.extend(places[1..].iter().map(go));
        actions.push(json!({ "type": "pointerUp", "button": 0 }));
        let mouse = json!({ "type": "pointer", "id": "mouse", "actions": actions });
        self.command("actions", &json!({ "actions": [mouse] }));
    }

    pub fn point(&self, (x, y): (f64, f64)) {
        let go = json!({ "type": "pointerMove", "duration": 0, "x": x as i64, "y": y as i64 });
        let mouse = json!({ "type": "pointer", "id": "mouse", "actions": [go] });
        self.command("actions", &json!({ "actions": [mouse] }));
    }

    pub fn click(&self, place: (f64, f64)) {
        self.drag(&[place]);
    }

    pub fn wheel(&self, (x, y): (f64, f64), amount: i32) {
        let turn = json!({ "type": "scroll", "x": x as i64, "y": y as i64, "deltaX": 0, "deltaY": amount });
        let wheel = json!({ "type": "wheel", "id": "wheel", "actions": [turn] });
        self.command("actions", &json!({ "actions": [wheel] }));
    }

    pub fn keys(&self, text: &str) {
        let press = |key: char| {
            let key = key.to_string();
            [json!({ "type": "keyDown", "value": key }), json!({ "type": "keyUp", "value": key })]
        };
        let actions: Vec<Value> = text.chars().flat_map(press).collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": actions });
        self.command("actions", &json!({ "actions": [keyboard] }));
    }

    /// What the page wrote to its console, and errors that nobody caught.
    pub fn log(&self) -> Vec<String> {
        let entries = self.command("se/log", &json!({ "type": "browser" }));
        let text = |entry: &Value| format!("{}: {}", entry["level"], entry["message"]);
        entries.as_array().map(|entries| entries.iter().map(text).collect()).unwrap_or_default()
    }

    fn command(&self, what: &str, body: &Value) -> Value {
        self.call("POST", &format!("/session/{}/{what}", self.session), body)
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.request(method, path, body);
        let value: Value = serde_json::from_slice(&answer).expect("ChromeDriver answers in JSON");
        let error = &value["value"]["error"];
        assert!(!error.is_string(), "{path}: {error}: {}", value["value"]["message"]);
        value["value"].clone()
    }

    fn request(&self, method: &str, path: &str, body: &Value) -> Vec<u8> {
        let body = body.to_string();
        let mut stream =
            TcpStream::connect(("127.0.0.1", self.port)).expect("ChromeDriver listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).expect("ChromeDriver reads");
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("a header");
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().expect("a length");
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer).expect("a whole answer");
        answer
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            self.request("DELETE", &format!("/session/{}", self.session), &json!({}));
        }
        // Nothing is left to do for what has ended already.
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

/// From the line `ChromeDriver was started successfully on port 12345.`
fn port_of(output: &mut impl BufRead) -> u16 {
    for line in output.lines() {
        let line = line.expect("ChromeDriver says its port");
        if let Some((_, port)) = line.split_once("successfully on port ") {
            return port.trim_end_matches('.').parse().expect("a port");
        }
    }
    panic!("ChromeDriver ended without a port");
}
