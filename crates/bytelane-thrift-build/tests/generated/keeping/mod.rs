pub mod keeping;
