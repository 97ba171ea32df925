//! Results as CSV.

use std::ops::ControlFlow;

use serde_json::Value;

use crate::engine::Rows;
use crate::failure::Failure;
use crate::limits::CSV_BYTES;
use crate::value::{Column, csv_field, distinct_names};

/// Rows as the text of a CSV file.
#[derive(Default)]
pub(crate) struct CsvText {
    pub(crate) text: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: u64,
}

impl CsvText {
    fn push(&mut self, fields: &[Value]) -> Result<(), Failure> {
        for (index, field) in fields.iter().enumerate() {
            if index > 0 {
                self.text.push(',');
            }
            csv_field(field, &mut self.text);
        }
        self.text.push_str("\r\n");
        if self.text.len() > CSV_BYTES {
            return Err(Failure::TooLarge(format!(
                "the file would have more than {CSV_BYTES} bytes"
            )));
        }
        Ok(())
    }
}

impl Rows for CsvText {
    fn columns(&mut self, mut columns: Vec<Column>) -> Result<(), Failure> {
        distinct_names(&mut columns);
        let names: Vec<Value> = columns.iter().map(|column| column.name.as_str().into()).collect();
        self.columns = columns;
        self.push(&names)
    }

    fn row(&mut self, row: Vec<Value>) -> Result<ControlFlow<()>, Failure> {
        self.push(&row)?;
        self.rows += 1;
        Ok(ControlFlow::Continue(()))
    }
}
