/** Returns `make` with a cache: it is called once per object, and the result is kept as long as that object exists. */
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
