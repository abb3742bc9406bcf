import { shortText } from '../../../../design/text/visible-text.ts'
import type { IssueDetail } from '../issue-reads.ts'
import { fieldsOf, listOf, textOf } from '../payload/fields.ts'
import { type PieceRow, pieceRows, replacedText } from './grouping-pieces.ts'

const rowsShown = 12

/** The explanation that grouping wrote: what was compared, in words, and what was left out. */
export function GroupingReason({ issue }: { readonly issue: IssueDetail }) {
  const { explanation, version, variables } = issue.grouping
  if (explanation === null) {
    return <p class="soft">It was not written down for this issue. Algorithm: {version}.</p>
  }
  const fields = fieldsOf(explanation)
  const variants = listOf(fields['variants']).map(fieldsOf)
  // An explanation that an earlier version stored has no such sentence.
  const otherwise = textOf(fields['otherwise'])
  return (
    <div class="stack">
      <p class="issue-reason">{shortText(explanation.summary, 2_000)}</p>
      {otherwise !== undefined && <p>{shortText(otherwise, 2_000)}</p>}
      {variants.map((variant, index) => (
        <section key={index} aria-label={`Compared: ${textOf(variant['name']) ?? ''}`}>
          <h3>{titleOf(textOf(variant['name']), index)}</h3>
          <Pieces rows={pieceRows(listOf(variant['pieces']))} />
          <Skipped skipped={listOf(variant['skipped'])} />
        </section>
      ))}
      {variables.length > 0 && (
        <p class="soft small">
          Variable parts of the text that do not count: {replacedText(variables)}.
        </p>
      )}
      <Lines title="Rules that applied" lines={listOf(fields['rules'])} />
      <Lines title="Notes" lines={listOf(fields['notes'])} />
      <p class="soft small">Algorithm: {version}.</p>
    </div>
  )
}

function titleOf(name: string | undefined, index: number): string {
  const order = 'in the order of their weight'
  const or = index === 0 ? '' : 'Or: '
  if (name === 'app') return `${or}Compared with frames of the application only, ${order}`
  if (name === 'system') return `${or}Compared with all frames, ${order}`
  return `${or}Compared, ${order}`
}

function Pieces({ rows }: { readonly rows: readonly PieceRow[] }) {
  return (
    <>
      <PieceList rows={rows.slice(0, rowsShown)} />
      {rows.length > rowsShown && (
        <details>
          <summary class="small">{rows.length - rowsShown} more</summary>
          <PieceList rows={rows.slice(rowsShown)} />
        </details>
      )}
    </>
  )
}

function PieceList({ rows }: { readonly rows: readonly PieceRow[] }) {
  return (
    <ol class="issue-pieces">
      {rows.map(({ label, value }, index) => (
        <li key={index}>
          <span class="soft">{shortText(label, 40)}</span>
          <code>{shortText(value, 520)}</code>
        </li>
      ))}
    </ol>
  )
}

function Skipped({ skipped }: { readonly skipped: readonly unknown[] }) {
  if (skipped.length === 0) return null
  return (
    <details>
      <summary class="small">Left out ({skipped.length})</summary>
      <ul class="issue-pieces">
        {skipped.map((entry, index) => {
          const { what, why } = fieldsOf(entry)
          return (
            <li key={index}>
              <code>{shortText(textOf(what) ?? '', 200)}</code>
              <span class="soft">{shortText(textOf(why) ?? '', 200)}</span>
            </li>
          )
        })}
      </ul>
    </details>
  )
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly unknown[] }) {
  const texts = lines.flatMap((line) => textOf(line) ?? [])
  if (texts.length === 0) return null
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul class="small">
        {texts.map((text) => (
          <li key={text}>{shortText(text, 520)}</li>
        ))}
      </ul>
    </section>
  )
}
