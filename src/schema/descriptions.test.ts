import {
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { expect, it } from 'vitest';
import { schema } from './index.ts';

type Described = { name: string; description?: string | null | undefined };

const types = Object.values(schema.getTypeMap()).filter(
  (type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type),
);

/** All that a reader of the schema may ask the meaning of, by its coordinate. */
const elements: [coordinate: string, element: Described][] = types.flatMap((type) => [
  [type.name, type],
  ...members(type),
]);

it('says what everything in it means', () => {
  expect(elements.length).toBeGreaterThan(350);
  const silent = elements.filter(([, { description }]) => !description?.trim()).map(([name]) => name);
  expect(silent).toEqual([]);
});

it('says more than a name does, in a sentence', () => {
  const poor = elements.filter(
    ([, { name, description }]) =>
      !/[.:…]$/.test(description ?? '') || letters(description ?? '') === letters(name),
  );
  expect(poor.map(([name]) => name)).toEqual([]);
});

function members(type: GraphQLNamedType): [string, Described][] {
  if (isEnumType(type)) return type.getValues().map((value) => [`${type.name}.${value.name}`, value]);
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field]);
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap((field): [string, Described][] => [
    [`${type.name}.${field.name}`, field],
    ...field.args.map((arg): [string, Described] => [`${type.name}.${field.name}(${arg.name}:)`, arg]),
  ]);
}

function letters(text: string): string {
  return text.replaceAll(/[^a-z]/gi, '').toLowerCase();
}
