/** Small parts that several reports are made of. */
import type { ComponentChildren } from 'preact'
import { formatShare } from '../../../design/content/format.ts'
import { Icon } from '../../../design/icon.tsx'
import './shared.css'

export interface NumberFact {
  readonly name: string
  readonly value: ComponentChildren
  readonly note?: ComponentChildren | undefined
}

/** A row of large numbers with their names. */
export function Numbers({ facts }: { readonly facts: readonly NumberFact[] }) {
  return (
    <dl class="reports-numbers">
      {facts.map(({ name, value, note }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value}
            {note !== undefined && <div class="reports-note">{note}</div>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** A share as a bar with its number; a dash when unknown. */
export function ShareBar({
  share,
  tone,
  digits = 1,
}: {
  readonly share: number | null
  readonly tone?: 'danger' | 'warning' | 'plain'
  readonly digits?: number
}) {
  if (share === null) return <span class="soft">–</span>
  const width = Math.min(Math.max(share, 0), 1) * 100
  return (
    <span class="reports-share">
      <span class="reports-track" aria-hidden="true">
        <div
          class={tone === undefined ? undefined : `reports-${tone}`}
          style={{ width: `${width}%` }}
        />
      </span>
      <span>{formatShare(share, digits)}</span>
    </span>
  )
}

export function Notice({
  tone = 'warning',
  children,
}: {
  readonly tone?: 'warning' | 'danger'
  readonly children: ComponentChildren
}) {
  return (
    <div
      class={tone === 'danger' ? 'reports-notice reports-notice-danger' : 'reports-notice'}
      role="note"
    >
      <Icon name="alert" />
      <div>{children}</div>
    </div>
  )
}
