//! Sets the name of the shared library for the dynamic linker. Before 1.0, every minor version may
//! break the interface; after that, only major versions may. See "The ABI" in
//! docs/getting-started/c.md.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let [major, minor] = ["MAJOR", "MINOR"].map(|part| {
        std::env::var(format!("CARGO_PKG_VERSION_{part}")).expect("cargo sets the version")
    });
    let abi = match major.as_str() {
        "0" => format!("0.{minor}"),
        _ => major,
    };
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libbytelane_streamvbyte.so.{abi}");
    }
}
