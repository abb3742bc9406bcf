import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { formatNumber } from './format.ts'
import '../css/page.css'

interface PageProps {
  readonly title: string
  /** The list that this page belongs to. */
  readonly parent?: { readonly label: string; readonly href: string }
  /** Beside the title: counts, states. */
  readonly meta?: ComponentChildren
  /** Buttons at the right, the main one last. */
  readonly actions?: ComponentChildren
  /** Below the title: search, filters, tabs. */
  readonly bar?: ComponentChildren
  /** Without a maximum width, for lists and tables. */
  readonly wide?: boolean
  readonly children: ComponentChildren
}

/** The frame of every page: the title of the tab, the head, and the content. */
export function Page({ title, parent, meta, actions, bar, wide, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Sluice`
  }, [title])
  return (
    <div class={wide === true ? 'page page-wide' : 'page'}>
      <header class="page-head">
        <div class="page-title">
          {parent !== undefined && (
            <a class="page-parent" href={parent.href}>
              {parent.label} <span aria-hidden="true">/</span>
            </a>
          )}
          <h1>{title}</h1>
          {meta !== undefined && <div class="page-meta">{meta}</div>}
          {actions !== undefined && <div class="page-actions">{actions}</div>}
        </div>
        {bar !== undefined && <div class="page-bar">{bar}</div>}
      </header>
      <div class="page-body">{children}</div>
    </div>
  )
}

interface PanelProps {
  readonly title?: string
  readonly actions?: ComponentChildren
  /** Content to the edge, for tables and lists. */
  readonly flush?: boolean
  readonly children: ComponentChildren
}

/** A group of content with a title. Panels do not lie in panels. */
export function Panel({ title, actions, flush, children }: PanelProps) {
  return (
    <section class="panel" aria-label={title}>
      {title !== undefined && (
        <header class="panel-head">
          <h2>{title}</h2>
          {actions !== undefined && <div class="panel-actions">{actions}</div>}
        </header>
      )}
      <div class={flush === true ? 'panel-body panel-flush' : 'panel-body'}>{children}</div>
    </section>
  )
}

export interface TabLink {
  readonly label: string
  readonly href: string
  readonly current: boolean
  readonly count?: number | undefined
}

/** Links between views of one thing; each has its own address. */
export function Tabs({
  label,
  tabs,
}: {
  readonly label: string
  readonly tabs: readonly TabLink[]
}) {
  const ref = useRef<HTMLElement>(null)
  const current = tabs.find((tab) => tab.current)?.href
  // On narrow screens the tabs scroll; the current one must be seen.
  useEffect(() => {
    const nav = ref.current
    const link = nav?.querySelector<HTMLElement>('[aria-current]')
    if (!nav || !link) return
    const end = link.offsetLeft - nav.offsetLeft + link.offsetWidth
    if (end > nav.clientWidth) nav.scrollLeft = end - nav.clientWidth / 2
  }, [current])
  return (
    <nav class="tabs" aria-label={label} ref={ref}>
      {tabs.map((tab) => (
        <a key={tab.href} href={tab.href} aria-current={tab.current ? 'page' : undefined}>
          {tab.label}
          {tab.count !== undefined && <span class="tab-count">{formatNumber(tab.count)}</span>}
        </a>
      ))}
    </nav>
  )
}
