/** Memoizes a function of an immutable object; each result lives as long as its object. */
export function oncePer<Of extends object, Made>(make: (of: Of) => Made): (of: Of) => Made {
  const made = new WeakMap<Of, { value: Made }>();
  return (of) => {
    let known = made.get(of);
    if (known === undefined) {
      known = { value: make(of) };
      made.set(of, known);
    }
    return known.value;
  };
}
