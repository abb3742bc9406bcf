import type { IssueDetail } from '../issue-reads.ts'
import { fieldsOf, listOf, textOf } from '../payload/fields.ts'
import { shortText } from '../payload/visible-text.ts'

const piecesShown = 12

/** The explanation that grouping wrote: a sentence, what was compared, and what was left out. */
export function GroupingReason({ issue }: { readonly issue: IssueDetail }) {
  const { explanation, version, variables } = issue.grouping
  if (explanation === null) {
    return <p class="soft">It was not written down for this issue. Algorithm: {version}.</p>
  }
  const variants = listOf(fieldsOf(explanation)['variants']).map(fieldsOf)
  return (
    <div class="stack">
      <p class="issue-reason">{shortText(explanation.summary, 2_000)}</p>
      {variants.map((variant, index) => (
        <section key={index} aria-label={`Compared: ${textOf(variant['name']) ?? ''}`}>
          <h3>{titleOf(textOf(variant['name']))}</h3>
          <Pieces pieces={listOf(variant['pieces'])} />
          <Skipped skipped={listOf(variant['skipped'])} />
        </section>
      ))}
      {variables.length > 0 && (
        <p class="soft small">
          Variable parts of the messages that were ignored:{' '}
          {variables.map(({ kind, count }) => `${kind} (${count})`).join(', ')}.
        </p>
      )}
      <p class="soft small">Algorithm: {version}.</p>
    </div>
  )
}

function titleOf(name: string | undefined): string {
  if (name === 'app') return 'Compared: frames of the application'
  if (name === 'system') return 'Compared: all frames'
  return `Compared: ${shortText(name ?? 'the event', 60)}`
}

function Pieces({ pieces }: { readonly pieces: readonly unknown[] }) {
  return (
    <>
      <ol class="issue-pieces">
        {pieces.slice(0, piecesShown).map((piece, index) => {
          const [kind, value] = listOf(piece).map(textOf)
          return (
            <li key={index}>
              <span class="soft">{shortText(kind ?? '', 40)}</span>
              <code>{shortText(value ?? '', 400)}</code>
            </li>
          )
        })}
      </ol>
      {pieces.length > piecesShown && (
        <p class="soft small">and {pieces.length - piecesShown} more</p>
      )}
    </>
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
