import { useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { Icon } from '../../../../design/icon.tsx'
import { visibleText } from '../../../../design/text/visible-text.ts'
import {
  type FrameMode,
  type FrameRow,
  groupFrames,
  isOwn,
  openAtFirst,
} from '../payload/group-frames.ts'
import type { EventFrame, EventStack } from '../payload/read-event.ts'
import { FrameBody } from './frame-body.tsx'

/** Rows that are drawn at once; a person who wants more asks for them. */
const rowsAtOnce = 60
/** What a phone shows before it is scrolled. */
const rowsFirst = 8
const openMax = 3

export function FrameList({
  stack,
  mode,
  isWhole = true,
}: {
  readonly stack: EventStack
  readonly mode: FrameMode
  /** The rows below the first are drawn, too. */
  readonly isWhole?: boolean
}) {
  const [shown, setShown] = useState(rowsAtOnce)
  const rows = groupFrames(stack.frames, mode)
  const open = openAtFirst(stack.frames, openMax)
  const hidden = rows.length - shown
  return (
    <div class="issue-frames">
      <ol>
        {rows.slice(0, isWhole ? shown : rowsFirst).map((row) => (
          <Row key={`${row.kind} ${row.index}`} row={row} frames={stack.frames} open={open} />
        ))}
      </ol>
      {hidden > 0 && (
        <p class="issue-frames-more">
          <Button size="s" onClick={() => setShown(shown + 10 * rowsAtOnce)}>
            Show {Math.min(hidden, 10 * rowsAtOnce)} more of {rows.length} rows
          </Button>
        </p>
      )}
      {stack.omitted > 0 && (
        <p class="issue-frames-more soft small">
          {stack.omitted.toLocaleString('en')} frames in the middle of the stack were not stored:
          they lie below frame {stack.omittedAfter.toLocaleString('en')}, counted from the crash.
        </p>
      )}
    </div>
  )
}

interface RowProps {
  readonly row: FrameRow
  readonly frames: readonly EventFrame[]
  readonly open: ReadonlySet<number>
}

function Row({ row, frames, open }: RowProps) {
  if (row.kind === 'repeated') {
    return <li class="issue-run soft">… and {row.count.toLocaleString('en')} times more</li>
  }
  if (row.kind === 'library') return <LibraryRun row={row} frames={frames} />
  return <FrameItem {...row} isOwn={isOwn(row.frame, frames)} opened={open.has(row.index)} />
}

function LibraryRun({
  row,
  frames,
}: {
  readonly row: Extract<FrameRow, { readonly kind: 'library' }>
  readonly frames: readonly EventFrame[]
}) {
  const [isOpen, setOpen] = useState(false)
  const shown = row.frames.slice(0, rowsAtOnce)
  return (
    <>
      <li class="issue-run">
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} data-frame>
          <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={12} />
          {row.frames.length.toLocaleString('en')} library frames
        </button>
      </li>
      {isOpen &&
        shown.map(({ frame, index }) => (
          <FrameItem key={index} frame={frame} isOwn={isOwn(frame, frames)} opened={false} />
        ))}
      {isOpen && shown.length < row.frames.length && (
        <li class="issue-run soft">
          The others are under “All”: {row.frames.length - shown.length} frames.
        </li>
      )}
    </>
  )
}

interface FrameItemProps {
  readonly frame: EventFrame
  readonly isOwn: boolean
  readonly opened: boolean
}

function FrameItem({ frame, isOwn: own, opened }: FrameItemProps) {
  const [isOpen, setOpen] = useState(opened)
  const hasBody =
    frame.source.length > 0 ||
    Object.keys(frame.variables).length > 0 ||
    Object.keys(frame.facts).length > 0
  const place = <FramePlace frame={frame} />
  return (
    <li class="issue-frame" data-own={own} data-open={isOpen}>
      <button
        type="button"
        class="issue-frame-head"
        aria-expanded={hasBody ? isOpen : undefined}
        aria-disabled={!hasBody}
        data-frame
        onClick={() => hasBody && setOpen(!isOpen)}
      >
        {hasBody ? (
          <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={12} />
        ) : (
          <span class="issue-frame-gap" />
        )}
        {place}
        {own && <span class="issue-frame-own">in app</span>}
      </button>
      {isOpen && hasBody && <FrameBody frame={frame} />}
    </li>
  )
}

function FramePlace({ frame }: { readonly frame: EventFrame }) {
  const file = frame.file ?? frame.module ?? frame.address ?? ''
  const position = [frame.line, frame.column].filter((part) => part !== undefined).join(':')
  return (
    <span class="issue-frame-place" title={frame.path === undefined ? '' : visibleText(frame.path)}>
      <code>{visibleText(frame.function ?? '<anonymous>')}</code>
      {file !== '' && (
        <span class="issue-frame-file">
          <span class="soft"> in </span>
          <span>{visibleText(file)}</span>
          {position !== '' && <span class="soft">:{position}</span>}
        </span>
      )}
    </span>
  )
}
