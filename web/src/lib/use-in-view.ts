import { useEffect, useState } from 'react';

/**
 * True while any part of the element is in the window below `topInset` (px), which sticky headers cover. `active` is
 * false until the element is rendered.
 */
export function useInView(id: string, topInset: number, active: boolean): boolean {
  const [inView, setInView] = useState(true);
  useEffect(() => {
    const element = active ? document.getElementById(id) : null;
    if (element === null) return;
    const options = { rootMargin: `-${topInset}px 0px 0px 0px` };
    const observer = new IntersectionObserver((entries) => {
      setInView(entries.at(-1)?.isIntersecting ?? true);
    }, options);
    observer.observe(element);
    return () => observer.disconnect();
  }, [id, topInset, active]);
  return inView;
}
