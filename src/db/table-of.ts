import { type EntitySchema, UnderscoreNamingStrategy } from '@mikro-orm/core';

/** Each column is named after its property, in the ORM's own way. */
const naming = new UnderscoreNamingStrategy();

/**
 * An entity's table, and the column of each property. The ORM would say the same, once it is loaded and has gone through all
 * entities, which only migrations need.
 */
export function tableOf({ meta }: EntitySchema): { name: string; columns: Map<string, string> } {
  const properties = Object.keys(meta.properties);
  return {
    name: meta.tableName,
    columns: new Map(properties.map((property) => [property, naming.propertyToColumnName(property)])),
  };
}
