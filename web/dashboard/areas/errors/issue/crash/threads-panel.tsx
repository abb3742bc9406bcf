import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Badge } from '../../../../design/content/badge.tsx'
import { Panel } from '../../../../design/content/page.tsx'
import { SelectField } from '../../../../design/forms/field.tsx'
import { shortText } from '../../../../design/text/visible-text.ts'
import type { FrameMode } from '../payload/group-frames.ts'
import type { EventThread } from '../payload/read-event.ts'
import { StackView } from './stack-view.tsx'
import { ValueTable } from './value-view.tsx'

interface ThreadsProps {
  readonly threads: readonly EventThread[]
  readonly mode: FrameMode
  /** The crashed thread's stack is then the one of the exception. */
  readonly hasExceptions: boolean
  readonly actions: ComponentChildren
}

/** One thread at a time: first the one that crashed. */
export function ThreadsPanel({ threads, mode, hasExceptions, actions }: ThreadsProps) {
  const first = Math.max(
    threads.findIndex(({ isCrashed }) => isCrashed),
    threads.some(({ isCrashed }) => isCrashed)
      ? 0
      : threads.findIndex(({ isCurrent }) => isCurrent),
    0,
  )
  const [index, setIndex] = useState(first)
  const thread = threads[index] ?? threads[0]
  if (thread === undefined) return null
  return (
    <Panel
      title="Threads"
      flush
      actions={
        <>
          {threads.length > 1 && (
            <SelectField
              label="Thread"
              hideLabel
              value={String(index)}
              choices={threads.map((one, at) => ({ value: String(at), label: nameOf(one) }))}
              onValue={(value) => setIndex(Number(value))}
            />
          )}
          {actions}
        </>
      }
    >
      <p class="issue-thread">
        <strong>{nameOf(thread)}</strong>
        {thread.isCrashed && <Badge tone="danger">crashed</Badge>}
        {thread.isCurrent && <Badge>current</Badge>}
        {thread.state !== undefined && <Badge>{shortText(thread.state, 40)}</Badge>}
      </p>
      {thread.stack === undefined ? (
        <p class="soft small issue-exception-empty">
          {thread.isCrashed && hasExceptions
            ? 'Its stack is the one of the exception above.'
            : 'It was sent without a stack trace.'}
        </p>
      ) : (
        <StackView key={index} stack={thread.stack} mode={mode} />
      )}
      {Object.keys(thread.heldLocks).length > 0 && (
        <section class="issue-thread-locks" aria-label="Locks that it holds">
          <h3>Locks that it holds</h3>
          <ValueTable label="Locks that it holds" values={Object.entries(thread.heldLocks)} />
        </section>
      )}
    </Panel>
  )
}

function nameOf({ id, name, isCrashed }: EventThread): string {
  const label = name === undefined ? `Thread ${id}` : `${name} (${id})`
  return `${shortText(label, 80)}${isCrashed ? ' – crashed' : ''}`
}
