//! Which receive got which send.
//!
//! MPI's rule: of the messages from one rank to another with one communicator and tag, the first send is received by the
//! receive that was posted first, and so on. A receive of any source or tag counts, once it is complete, as one of those that it got.
//!
//! Source: MPI 4.0, section 3.5, order of messages.

use std::collections::HashMap;

use super::part::Part;

/// An end of a message: positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    pub part: usize,
    pub message: usize,
}

pub struct Pairs {
    pub pairs: Vec<(At, At)>,
    /// Ends without another.
    pub alone: usize,
}

/// Communicator, sender, receiver, tag.
type Kind<'a> = (&'a str, i64, i64, i64);

#[derive(Default)]
struct Ends {
    sends: Vec<At>,
    receives: Vec<At>,
}

pub fn pairs(parts: &[Part]) -> Pairs {
    let mut kinds: HashMap<Kind, Ends> = HashMap::new();
    for (part, of) in parts.iter().enumerate() {
        let own = of.rank.unwrap_or(0) as i64;
        for (number, message) in of.messages.iter().enumerate() {
            let (from, to) =
                if message.receives { (message.peer, own) } else { (own, message.peer) };
            let ends = kinds.entry((&message.communicator, from, to, message.tag)).or_default();
            let list = if message.receives { &mut ends.receives } else { &mut ends.sends };
            list.push(At { part, message: number });
        }
    }
    let mut found = Pairs { pairs: Vec::new(), alone: 0 };
    let posted = |at: &At| parts[at.part].messages[at.message].posted;
    for ends in kinds.values_mut() {
        for list in [&mut ends.sends, &mut ends.receives] {
            list.sort_by(|a, b| posted(a).total_cmp(&posted(b)));
        }
        found.alone += ends.sends.len().abs_diff(ends.receives.len());
        found.pairs.extend(ends.sends.iter().copied().zip(ends.receives.iter().copied()));
    }
    found.pairs.sort_by_key(|(send, _)| (send.part, send.message));
    found
}
