//! Types that only clang's virtual processor has, as what they are in kernels: `event_t` is a pointer that nobody follows, an
//! image the address of what `library/image/image.h` describes, a sampler its bits.
//!
//! The types are spelled out in the module's text: so functions get other types with all that calls them. The builtin library is
//! compiled with the same types, and by the same words (build.rs).

const IMAGE: &str = "ptr addrspace(2)";

/// What stands for the type of this name; none for those that no kernel can have here.
pub fn meaning(name: &str) -> Option<&'static str> {
    match name {
        "spirv.Event" => Some("ptr"),
        "spirv.Image" => Some(IMAGE),
        "spirv.Sampler" => Some("i32"),
        _ => None,
    }
}

/// A module's text without these types.
pub fn spell_out(text: &str) -> String {
    const BEGIN: &str = "target(\"";
    let mut rest = text;
    let mut spelled = String::with_capacity(text.len());
    while let Some(at) = rest.find(BEGIN) {
        let (before, from) = rest.split_at(at);
        spelled.push_str(before);
        let name = from[BEGIN.len()..].split('"').next().unwrap_or_default();
        let length = from.find(')').map_or(from.len(), |end| end + 1);
        spelled.push_str(meaning(name).unwrap_or(&from[..length]));
        rest = &from[length..];
    }
    spelled.push_str(rest);
    spelled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_replaced_and_others_stay() {
        let text = "declare target(\"spirv.Sampler\") @f(target(\"spirv.Image\", void, 1, 0, 0, 0, 0, 0, 0), \
                    target(\"spirv.Event\"), target(\"spirv.Queue\"))";
        let spelled = "declare i32 @f(ptr addrspace(2), ptr, target(\"spirv.Queue\"))";
        assert_eq!(spell_out(text), spelled);
    }
}
