"""How a store of an older version becomes one of this version: a step for every version of the schema."""
