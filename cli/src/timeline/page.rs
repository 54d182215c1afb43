//! The page: one file that holds everything, put together from the parts in `page/`.

use serde_json::Value;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");
const SCRIPTS: [&str; 6] = [
    include_str!("page/data.js"),
    include_str!("page/colour.js"),
    include_str!("page/lanes.js"),
    include_str!("page/draw.js"),
    include_str!("page/panel.js"),
    include_str!("page/main.js"),
];

/// The HTML of a page with these data.
pub fn page(title: &str, data: &Value) -> String {
    // Inside a script element only `</` and `<!--` mean anything to HTML; in JSON, `<` is in strings only.
    let data = data.to_string().replace('<', "\\u003c");
    let script = SCRIPTS.join("\n");
    let parts =
        [("title", escaped(title)), ("style", STYLE.into()), ("data", data), ("script", script)];
    let mut html = String::new();
    let mut rest = PAGE;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        html += before;
        html += parts.iter().find(|(part, _)| *part == name).map_or("", |(_, text)| text.as_str());
        rest = after;
    }
    html + rest
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_a_trace_cannot_leave_their_place() {
        let data = serde_json::json!({ "name": "</script><!-- {{style}}" });
        let html = page("a<b> \"{{data}}\"", &data);
        assert!(html.contains("<title>a&lt;b&gt; &quot;{{data}}&quot;</title>"));
        assert!(html.contains(r#"{"name":"\u003c/script>\u003c!-- {{style}}"}"#));
        assert_eq!(html.matches("</script>").count(), 2);
        let loads = ["src=", "href=", "@import", "url("].map(|mark| html.contains(mark));
        assert_eq!(loads, [false; 4], "nothing comes from elsewhere");
    }
}
