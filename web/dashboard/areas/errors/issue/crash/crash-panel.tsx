import { Panel } from '../../../../design/content/page.tsx'
import { visibleText } from '../../../../design/text/visible-text.ts'
import { useSearchParams } from '../../../../url/use-search-params.ts'
import type { EventDetail } from '../issue-reads.ts'
import type { FrameMode } from '../payload/group-frames.ts'
import type { EventContent, EventMessage } from '../payload/read-event.ts'
import { CutMark, ExceptionChain } from './exception-chain.tsx'
import { StackView } from './stack-view.tsx'
import { ThreadsPanel } from './threads-panel.tsx'
import { Value, ValueTable } from './value-view.tsx'

const modes = [
  ['app', 'In app'],
  ['all', 'All frames'],
  ['text', 'Text'],
] as const satisfies readonly (readonly [FrameMode, string])[]

/** What went wrong: exceptions, a message, a report of a browser, and the threads beside them. */
export function CrashPanels({
  event,
  content,
  step,
}: {
  readonly event: EventDetail
  readonly content: EventContent
  /** How much is drawn: see `ExceptionChain`. */
  readonly step: number
}) {
  const { get, set } = useSearchParams()
  const mode = modes.find(([name]) => name === get('frames'))?.[0] ?? 'app'
  const { exceptions, threads, message, csp, stack } = content
  const hasFrames = stack !== undefined || exceptions.some((one) => one.stack !== undefined)
  const hasThreads = threads.some((thread) => thread.stack !== undefined)
  const switcher = (hasFrames || hasThreads) && (
    <ModeSwitch
      mode={mode}
      onMode={(next) => set({ frames: next === 'app' ? undefined : next }, 'replace')}
    />
  )
  return (
    <>
      {message !== undefined && <MessagePanel message={message} isMain={!hasFrames} />}
      {Object.keys(csp).length > 0 && (
        <Panel title="Report of the browser">
          <ValueTable label="Report of the browser" values={Object.entries(csp)} />
        </Panel>
      )}
      {exceptions.length > 0 && (
        <Panel
          title={exceptions.length === 1 ? 'Exception' : 'Exceptions'}
          flush
          actions={switcher}
        >
          <ExceptionChain
            exceptions={exceptions}
            platform={event.platform}
            mode={mode}
            step={step}
          />
        </Panel>
      )}
      {stack !== undefined && (
        <Panel title="Stack trace" flush actions={exceptions.length === 0 && switcher}>
          <StackView stack={stack} mode={mode} />
        </Panel>
      )}
      {threads.length > 0 && (
        <ThreadsPanel
          threads={threads}
          mode={mode}
          hasExceptions={exceptions.length > 0}
          actions={!hasFrames && switcher}
        />
      )}
      {exceptions.length === 0 &&
        message === undefined &&
        stack === undefined &&
        threads.length === 0 &&
        Object.keys(csp).length === 0 && (
          <Panel title="Event">
            <p class="soft">
              It was sent without an exception, a message and a stack trace. Everything that came
              with it is below.
            </p>
          </Panel>
        )}
    </>
  )
}

function MessagePanel({
  message: { text, template, lengthSent },
  isMain,
}: {
  readonly message: EventMessage
  readonly isMain: boolean
}) {
  return (
    <Panel title="Message">
      <div class={isMain ? 'issue-message issue-message-main' : 'issue-message'}>
        <Value value={text} isOpen />
      </div>
      <CutMark lengthSent={lengthSent} />
      {template !== undefined && (
        <p class="soft small issue-template">
          Template: <code>{visibleText(template)}</code>
        </p>
      )}
    </Panel>
  )
}

function ModeSwitch({
  mode,
  onMode,
}: {
  readonly mode: FrameMode
  readonly onMode: (mode: FrameMode) => void
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot lie in the head of a panel.
    <div class="issue-switch" role="group" aria-label="Frames">
      {modes.map(([name, label]) => (
        <button key={name} type="button" aria-pressed={mode === name} onClick={() => onMode(name)}>
          {label}
        </button>
      ))}
    </div>
  )
}
