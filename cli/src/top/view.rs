//! The view on a terminal: the table, drawn anew after each interval, until `q`, Escape or Ctrl-C.

use std::io::{Error, Write, stdout};
use std::time::Duration;

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{self, Event, KeyCode, KeyModifiers};
use crossterm::terminal::{self, Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{execute, queue};

use super::find::Page;
use super::{sample, show};
use crate::failure::Failure;

/// The terminal as it was before, whatever happens meanwhile.
struct Screen;

impl Screen {
    fn take() -> Result<Screen, Error> {
        terminal::enable_raw_mode()?;
        let screen = Screen;
        execute!(stdout(), EnterAlternateScreen, Hide)?;
        Ok(screen)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // There is nobody left to tell.
        let _ = execute!(stdout(), Show, LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

/// Shows what `find` finds, until the user has seen enough.
pub fn watch(
    pages: &mut Vec<Page>,
    interval: Duration,
    find: impl Fn() -> Result<Vec<Page>, Failure>,
) -> Result<(), Failure> {
    let failed = |error: Error| Failure::own(format!("the terminal cannot be used: {error}"));
    let screen = Screen::take().map_err(failed)?;
    draw("vicinity top: looking").map_err(failed)?;
    let mut goes_on = true;
    while goes_on {
        let reports = sample::observe(pages, interval, |pause| {
            goes_on = goes_on && !asked_to_end(pause);
            goes_on
        });
        if goes_on {
            draw(&show::table(&reports)).map_err(failed)?;
            match find() {
                Ok(found) => *pages = found,
                Err(failure) => {
                    drop(screen);
                    return Err(failure);
                }
            }
        }
    }
    Ok(())
}

/// Waits so long for a key that ends the view.
fn asked_to_end(pause: Duration) -> bool {
    // A terminal that cannot be read ends the view, too.
    match event::poll(pause).and_then(|came| if came { event::read().map(Some) } else { Ok(None) })
    {
        Ok(Some(Event::Key(key))) => match key.code {
            KeyCode::Char('q') | KeyCode::Esc => true,
            KeyCode::Char('c') => key.modifiers.contains(KeyModifiers::CONTROL),
            _ => false,
        },
        Ok(_) => false,
        Err(_) => true,
    }
}

fn draw(text: &str) -> Result<(), Error> {
    // A terminal that does not know its size says 0.
    let (columns, rows) = match terminal::size()? {
        (0, _) | (_, 0) => (80, 24),
        size => size,
    };
    let mut out = stdout().lock();
    queue!(out, MoveTo(0, 0), Clear(ClearType::All))?;
    for line in text.lines().take(usize::from(rows.saturating_sub(2))) {
        let line: String = line.chars().take(usize::from(columns)).collect();
        write!(out, "{line}\r\n")?;
    }
    write!(out, "\r\nq ends")?;
    out.flush()
}
