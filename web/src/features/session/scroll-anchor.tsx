import { Component, createRef, type ReactNode } from 'react';

interface Props {
  /** What the reader waits for stands above: from then on. */
  readonly arrived: boolean;
  /** Before it is laid out. */
  readonly before: () => void;
  /** After it was painted, with all below still where it was. */
  readonly after: () => void;
  readonly children: ReactNode;
}

// Where it is below the window's upper edge, in px.
type Place = number | null;

/**
 * When something arrives above, what is inside stays where the reader sees it: the page is scrolled by as much. Where they
 * go from there is another matter. A class, for only such are asked before the page changes.
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
    // A page that ended in its window has nowhere to be scrolled to.
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
