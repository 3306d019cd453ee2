import { Component, createRef, type ReactNode } from 'react';

interface Props {
  /** True once the awaited content is rendered above. */
  readonly arrived: boolean;
  /** Called right before that content is laid out. */
  readonly before: () => void;
  /** Called after the paint, while the children are still at their old position in the window. */
  readonly after: () => void;
  readonly children: ReactNode;
}

// Distance of the children from the window's upper edge, in px; `null` if nothing has to be restored.
type Place = number | null;

/**
 * Keeps its children at the same position in the window when content appears above them, by scrolling the page.
 * A class, because only classes have `getSnapshotBeforeUpdate`.
 */
export class HoldStill extends Component<Props> {
  private readonly frame = createRef<HTMLDivElement>();

  override getSnapshotBeforeUpdate({ arrived }: Props): Place {
    if (arrived || !this.props.arrived) return null;
    this.props.before();
    return this.frame.current?.getBoundingClientRect().top ?? null;
  }

  override componentDidUpdate(_props: Props, _state: unknown, place: Place): void {
    if (place === null || this.frame.current === null) return;
    const moved = this.frame.current.getBoundingClientRect().top - place;
    const { body, documentElement } = document;
    // A page that is shorter than the window cannot scroll, so it is made taller first.
    body.style.minHeight = `${documentElement.scrollHeight + Math.max(0, moved)}px`;
    window.scrollBy({ top: moved, behavior: 'instant' });
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        this.props.after();
        body.style.minHeight = '';
      }),
    );
  }

  override render(): ReactNode {
    return <div ref={this.frame}>{this.props.children}</div>;
  }
}
