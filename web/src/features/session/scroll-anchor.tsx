import { Component, createRef, type ReactNode } from 'react';

interface Props {
  /** True once the awaited content is rendered above the children. */
  readonly active: boolean;
  /** Called right before the browser lays out the new content. */
  readonly onBeforeLayout: () => void;
  /**
   * Called after the new content is painted, while the children are still at their old position in the
   * window.
   */
  readonly onAfterPaint: () => void;
  readonly children: ReactNode;
}

// Distance of the children from the window's upper edge (px); `null` if there is no position to restore.
type Offset = number | null;

/**
 * Keeps its children at the same position in the window when content appears above them, by scrolling the page. This is
 * a class, because only classes have `getSnapshotBeforeUpdate`.
 */
export class ScrollAnchor extends Component<Props> {
  private readonly containerRef = createRef<HTMLDivElement>();

  override getSnapshotBeforeUpdate({ active }: Props): Offset {
    if (active || !this.props.active) return null;
    this.props.onBeforeLayout();
    return this.containerRef.current?.getBoundingClientRect().top ?? null;
  }

  override componentDidUpdate(_props: Props, _state: unknown, offset: Offset): void {
    if (offset === null || this.containerRef.current === null) return;
    const moved = this.containerRef.current.getBoundingClientRect().top - offset;
    const { body, documentElement } = document;
    // A page that is shorter than the window cannot scroll, so it is made taller first.
    body.style.minHeight = `${documentElement.scrollHeight + Math.max(0, moved)}px`;
    window.scrollBy({ top: moved, behavior: 'instant' });
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        this.props.onAfterPaint();
        body.style.minHeight = '';
      }),
    );
  }

  override render(): ReactNode {
    return <div ref={this.containerRef}>{this.props.children}</div>;
  }
}
