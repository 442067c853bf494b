//! The CPU: its name, its caches, and pinning to a core.

use std::fmt;
use std::io;

/// One cache of the CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// Level; 1 is the nearest to the core.
    pub level: u8,
    /// Contents: `Data`, `Instruction` or `Unified`.
    pub kind: String,
    /// Size in bytes.
    pub bytes: u64,
}

impl fmt::Display for Cache {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match self.kind.as_str() {
            "Data" => "d",
            "Instruction" => "i",
            _ => "",
        };
        write!(formatter, "L{}{suffix} ", self.level)?;
        match self.bytes {
            bytes if bytes >= 1 << 20 && bytes % (1 << 19) == 0 => {
                write!(formatter, "{} MiB", bytes as f64 / f64::from(1 << 20))
            }
            bytes => write!(formatter, "{} KiB", bytes >> 10),
        }
    }
}

/// Returns the name that the CPU reports, or at least its architecture.
#[must_use]
pub fn name() -> String {
    brand().unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

#[cfg(target_arch = "x86_64")]
fn brand() -> Option<String> {
    let brand = raw_cpuid::CpuId::new().get_processor_brand_string()?;
    let name = brand
        .as_str()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    (!name.is_empty()).then_some(name)
}

#[cfg(not(target_arch = "x86_64"))]
fn brand() -> Option<String> {
    let information = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let field = |name: &str| {
        information.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == name).then(|| value.trim().to_owned())
        })
    };
    field("model name").or_else(|| {
        // Linux on Arm reports only numbers.
        let (implementer, part) = (field("CPU implementer")?, field("CPU part")?);
        Some(format!(
            "{} implementer {implementer} part {part}",
            std::env::consts::ARCH
        ))
    })
}

/// Returns the caches of the first core, as Linux describes them; empty on other systems.
#[must_use]
pub fn caches() -> Vec<Cache> {
    (0..)
        .map_while(|index| {
            let read = |file: &str| {
                let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{file}");
                Some(std::fs::read_to_string(path).ok()?.trim().to_owned())
            };
            Some(Cache {
                level: read("level")?.parse().ok()?,
                kind: read("type")?,
                bytes: parse_size(&read("size")?)?,
            })
        })
        .collect()
}

/// Returns the size in bytes of the largest cache; 32 MiB if the system does not report it.
#[must_use]
pub fn last_level_cache_bytes() -> u64 {
    caches()
        .iter()
        .map(|cache| cache.bytes)
        .max()
        .unwrap_or(32 << 20)
}

/// Parses sizes as in `/sys`: `48K`, `2048K`, `32M`.
fn parse_size(text: &str) -> Option<u64> {
    let (digits, unit) = match text.strip_suffix(['K', 'M']) {
        Some(digits) if text.ends_with('K') => (digits, 1 << 10),
        Some(digits) => (digits, 1 << 20),
        None => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// Pins the calling thread to the core that it runs on. Returns that core's number.
///
/// If you call it before buffers are touched, they also stay on the core's own memory node.
///
/// # Errors
/// The system's error if it refuses; [`io::ErrorKind::Unsupported`] on systems other than Linux.
pub fn pin_to_current_core() -> io::Result<usize> {
    pin(None)
}

/// Pins the calling thread to core `core`.
///
/// # Errors
/// The system's error if there is no such core or the process may not use it;
/// [`io::ErrorKind::Unsupported`] on systems other than Linux.
pub fn pin_to_core(core: usize) -> io::Result<()> {
    pin(Some(core)).map(|_| ())
}

#[cfg(target_os = "linux")]
fn pin(core: Option<usize>) -> io::Result<usize> {
    use rustix::thread::{CpuSet, sched_getcpu, sched_setaffinity};
    let core = core.unwrap_or_else(sched_getcpu);
    if core >= CpuSet::MAX_CPU {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("this machine has no core {core}"),
        ));
    }
    let mut set = CpuSet::new();
    set.set(core);
    sched_setaffinity(None, &set)?;
    Ok(core)
}

#[cfg(not(target_os = "linux"))]
fn pin(_: Option<usize>) -> io::Result<usize> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "threads can be pinned on Linux only",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_has_a_name() {
        assert!(!name().trim().is_empty());
    }

    #[test]
    fn sizes_as_in_sys() {
        assert_eq!(parse_size("48K"), Some(48 << 10));
        assert_eq!(parse_size("32M"), Some(32 << 20));
        assert_eq!(parse_size("512"), Some(512));
        for wrong in [
            "",
            "K",
            "x48K",
            "99999999999999999999K",
            "18446744073709551615K",
        ] {
            assert_eq!(parse_size(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn caches_print_their_size() {
        let cache = |level, kind: &str, bytes| Cache {
            level,
            kind: kind.into(),
            bytes,
        };
        assert_eq!(cache(1, "Data", 48 << 10).to_string(), "L1d 48 KiB");
        assert_eq!(cache(2, "Unified", 2 << 20).to_string(), "L2 2 MiB");
        assert_eq!(cache(2, "Unified", 1_310_720).to_string(), "L2 1280 KiB");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn pinning_stays_on_the_core() {
        std::thread::spawn(|| {
            let core = pin_to_current_core().unwrap();
            pin_to_core(core).unwrap();
            assert_eq!(rustix::thread::sched_getcpu(), core);
            assert!(pin_to_core(1_000_000).is_err());
        })
        .join()
        .unwrap();
    }
}
