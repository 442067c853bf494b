//! Conditions of a measurement besides the CPU's name and caches: its exact model, its clock, the
//! kernel, and the load. Linux reports all of it if it may be read; on other systems, most is
//! unknown.

use std::fmt;
use std::fs;

/// Exact model of an x86 CPU. CPUs of the same name can differ in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// Family, with the extended family added.
    pub family: u8,
    /// Model, including the extended model.
    pub model: u8,
    /// Revision.
    pub stepping: u8,
}

impl fmt::Display for Model {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            family,
            model,
            stepping,
        } = self;
        write!(
            formatter,
            "family {family}, model {model}, stepping {stepping}"
        )
    }
}

/// Returns the model of this CPU, if it is an x86 CPU.
#[must_use]
#[cfg(target_arch = "x86_64")]
pub fn model() -> Option<Model> {
    let features = raw_cpuid::CpuId::new().get_feature_info()?;
    Some(Model {
        family: features.family_id(),
        model: features.model_id(),
        stepping: features.stepping_id(),
    })
}

/// Returns the model of this CPU, if it is an x86 CPU.
#[must_use]
#[cfg(not(target_arch = "x86_64"))]
pub fn model() -> Option<Model> {
    None
}

/// Returns the kernel with its version, such as `Linux 6.12.1`.
#[must_use]
pub fn kernel() -> Option<String> {
    let read = |name: &str| line(&format!("/proc/sys/kernel/{name}"));
    Some(format!("{} {}", read("ostype")?, read("osrelease")?))
}

/// Returns the governor, which chooses the frequency of a core, such as `performance`. It is
/// unknown in virtual machines.
#[must_use]
pub fn governor(core: usize) -> Option<String> {
    line(&format!(
        "/sys/devices/system/cpu/cpu{core}/cpufreq/scaling_governor"
    ))
}

/// Returns the current frequency of a core.
#[must_use]
pub fn megahertz(core: usize) -> Option<f64> {
    let path = format!("/sys/devices/system/cpu/cpu{core}/cpufreq/scaling_cur_freq");
    match line(&path) {
        Some(kilohertz) => Some(kilohertz.parse::<f64>().ok()? / 1000.0),
        None => megahertz_of(core, &fs::read_to_string("/proc/cpuinfo").ok()?),
    }
}

/// Returns the frequency of a core in `/proc/cpuinfo`.
fn megahertz_of(core: usize, cpuinfo: &str) -> Option<f64> {
    let mut of_core = false;
    for line in cpuinfo.lines() {
        let Some((key, value)) = line.split_once(':') else {
            continue;
        };
        match (key.trim(), value.trim()) {
            ("processor", number) => of_core = number.parse() == Ok(core),
            ("cpu MHz", megahertz) if of_core => return megahertz.parse().ok(),
            _ => {}
        }
    }
    None
}

/// Returns the number of processes that ran or waited for a core, on average over the last minute.
#[must_use]
pub fn load() -> Option<f64> {
    line("/proc/loadavg")?.split(' ').next()?.parse().ok()
}

/// Returns the text of a single-line file, unless it is empty.
fn line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frequency_is_that_of_the_core() {
        let cpuinfo = "processor\t: 0\ncpu MHz\t\t: 2600.5\n\nprocessor\t: 1\ncpu MHz\t\t: 3100\n";
        assert_eq!(megahertz_of(0, cpuinfo), Some(2600.5));
        assert_eq!(megahertz_of(1, cpuinfo), Some(3100.0));
        assert_eq!(megahertz_of(2, cpuinfo), None);
        assert_eq!(megahertz_of(0, "processor: 0\nBogoMIPS: 1"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn linux_tells_its_version() {
        assert!(kernel().unwrap().starts_with("Linux "));
    }

    #[test]
    fn models_print_their_numbers() {
        let model = Model {
            family: 26,
            model: 2,
            stepping: 1,
        };
        assert_eq!(model.to_string(), "family 26, model 2, stepping 1");
    }
}
