import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';

type Element = { name: string; description?: string | null | undefined };

/** Returns all schema elements that need a description, each with its coordinate such as `Type.field`. */
export function elementsOf(schema: GraphQLSchema): [coordinate: string, element: Element][] {
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type),
  );
  return types.flatMap((type) => [[type.name, type], ...membersOf(type)]);
}

function membersOf(type: GraphQLNamedType): [string, Element][] {
  if (isEnumType(type)) return type.getValues().map((value) => [`${type.name}.${value.name}`, value]);
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field]);
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap((field): [string, Element][] => [
    [`${type.name}.${field.name}`, field],
    ...field.args.map((arg): [string, Element] => [`${type.name}.${field.name}(${arg.name}:)`, arg]),
  ]);
}

/** Returns the coordinates whose description is missing, only repeats the name, or is not a sentence. */
export function undescribed(schema: GraphQLSchema): string[] {
  return elementsOf(schema)
    .filter(
      ([, { name, description }]) =>
        !/[.:…]$/.test(description ?? '') || letters(description ?? '') === letters(name),
    )
    .map(([coordinate]) => coordinate);
}

function letters(text: string): string {
  return text.replaceAll(/[^a-z]/gi, '').toLowerCase();
}
