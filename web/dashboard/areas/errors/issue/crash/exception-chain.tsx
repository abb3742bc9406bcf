import { useState } from 'preact/hooks'
import { Badge } from '../../../../design/content/badge.tsx'
import { CopyButton } from '../../../../design/content/copy.tsx'
import { Icon } from '../../../../design/icon.tsx'
import { shortText, visibleText } from '../../../../design/text/visible-text.ts'
import { type ChainLink, chainOf } from '../payload/chain-of.ts'
import { textOf } from '../payload/fields.ts'
import type { FrameMode } from '../payload/group-frames.ts'
import { headingOf, rawTrace } from '../payload/raw-trace.ts'
import type { EventException } from '../payload/read-event.ts'
import { FrameList } from './frame-list.tsx'

/** Further causes show their heading until they are opened. */
const openMax = 3
const valueCharactersShown = 600
const rawCharactersMax = 200_000

const relations = {
  first: '',
  cause: 'Caused by',
  part: 'In this group',
  context: 'While handling',
} as const satisfies Record<ChainLink['relation'], string>

interface ChainProps {
  readonly exceptions: readonly EventException[]
  readonly platform: string
  readonly mode: FrameMode
  /** A long chain is drawn in steps: 1 is the top of the first stack, 2 all of it, and so on. */
  readonly step: number
}

export function ExceptionChain({ exceptions, platform, mode, step }: ChainProps) {
  if (mode === 'text') return <RawText text={rawTrace(exceptions, platform)} />
  return (
    <ol class="issue-chain">
      {chainOf(exceptions)
        .slice(0, step < openMax ? step : undefined)
        .map((link, index) => (
          <ExceptionItem
            key={index}
            link={link}
            mode={mode}
            opened={index < openMax}
            isWhole={index + 1 < step}
          />
        ))}
    </ol>
  )
}

function ExceptionItem({
  link,
  mode,
  opened,
  isWhole,
}: {
  readonly link: ChainLink
  readonly mode: FrameMode
  readonly opened: boolean
  readonly isWhole: boolean
}) {
  const [isOpen, setOpen] = useState(opened)
  const { exception, relation, depth } = link
  return (
    <li class="issue-exception" data-depth={depth}>
      <div class="issue-exception-head">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          aria-label={`${isOpen ? 'Fold' : 'Open'} ${shortText(headingOf(exception), 80)}`}
        >
          <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={14} />
        </button>
        <div>
          <h3>
            {relation !== 'first' && <span class="soft">{relations[relation]} </span>}
            {visibleText(exception.type)}
          </h3>
          <ExceptionText text={exception.value} />
          <CutMark lengthSent={exception.lengthSent} />
          <MechanismLine exception={exception} />
        </div>
      </div>
      {isOpen &&
        (exception.stack === undefined ? (
          <p class="soft small issue-exception-empty">It was sent without a stack trace.</p>
        ) : (
          <FrameList stack={exception.stack} mode={mode} isWhole={isWhole} />
        ))}
      {isOpen && exception.rawStack !== undefined && (
        <details class="issue-raw-stack">
          <summary>The stack before it was translated</summary>
          <FrameList stack={exception.rawStack} mode="all" />
        </details>
      )}
    </li>
  )
}

function ExceptionText({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false)
  if (text === '') return null
  const isLong = text.length > valueCharactersShown
  return (
    <p class="issue-exception-text">
      {isWhole || !isLong ? visibleText(text) : shortText(text, valueCharactersShown)}
      {isLong && (
        <button type="button" class="issue-more" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : 'Show the whole message'}
        </button>
      )}
    </p>
  )
}

/** A text that is not stored in full length. */
export function CutMark({ lengthSent }: { readonly lengthSent: number | undefined }) {
  if (lengthSent === undefined) return null
  return <p class="soft small">Cut; it had {lengthSent.toLocaleString('en')} characters.</p>
}

function MechanismLine({ exception }: { readonly exception: EventException }) {
  const { isHandled, mechanism, module } = exception
  const type = textOf(mechanism['type'])
  const code = mechanismCode(mechanism)
  const hasAny = isHandled !== undefined || type !== undefined || module !== undefined
  if (!hasAny) return null
  return (
    <p class="issue-mechanism">
      {isHandled === false && <Badge tone="danger">unhandled</Badge>}
      {isHandled === true && <Badge>handled</Badge>}
      {type !== undefined && type !== 'generic' && <span>by {shortText(type, 80)}</span>}
      {code !== undefined && <span>{shortText(code, 120)}</span>}
      {module !== undefined && <span>module {shortText(module, 120)}</span>}
    </p>
  )
}

/** The signal or error number of a native crash. */
function mechanismCode(mechanism: Readonly<Record<string, unknown>>): string | undefined {
  const meta = mechanism['meta'] as Readonly<Record<string, unknown>> | undefined
  const signal = (meta?.['signal'] ?? meta?.['mach_exception'] ?? meta?.['errno']) as
    | Readonly<Record<string, unknown>>
    | undefined
  if (typeof signal !== 'object' || signal === null) return undefined
  return textOf(signal['name']) ?? textOf(signal['number'])
}

export function RawText({ text }: { readonly text: string }) {
  const isCut = text.length > rawCharactersMax
  return (
    <div class="issue-raw">
      <CopyButton text={text} label="Copy the text" />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls wide text. */}
      <pre tabIndex={0}>{shortText(text, rawCharactersMax)}</pre>
      {isCut && <p class="soft small">The text is shortened here. Copy to get the full text.</p>}
    </div>
  )
}
