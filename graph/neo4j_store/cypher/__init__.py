"""All Cypher, named, a module for each part of the record. `record_cypher` describes the model."""
