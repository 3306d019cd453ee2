import { type EntitySchema, UnderscoreNamingStrategy } from '@mikro-orm/core';

const naming = new UnderscoreNamingStrategy();

/** Returns an entity's table and the column of each property, without loading the ORM, which only migrations need. */
export function tableOf({ meta }: EntitySchema): { name: string; columns: Map<string, string> } {
  const properties = Object.keys(meta.properties);
  return {
    name: meta.tableName,
    columns: new Map(properties.map((property) => [property, naming.propertyToColumnName(property)])),
  };
}
