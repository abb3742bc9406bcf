import type { ComponentChildren } from 'preact'
import { Panel } from '../../../../design/content/page.tsx'
import { shortText } from '../../../../design/text/visible-text.ts'
import type { EventDetail } from '../issue-reads.ts'
import { type Fields, fieldsOf, textOf } from '../payload/fields.ts'
import type { EventContent, Pairs } from '../payload/read-event.ts'
import { ValueTable } from './value-view.tsx'

/** Contexts in the order in which people look for them; the others follow by name. */
const firstContexts = ['device', 'os', 'browser', 'runtime', 'app', 'culture', 'gpu', 'trace']
const titles: ReadonlyMap<string, string> = new Map([
  ['os', 'Operating system'],
  ['gpu', 'GPU'],
  ['culture', 'Language and region'],
  ['otel', 'OpenTelemetry'],
])

export function ContextsPanel({ content }: { readonly content: EventContent }) {
  const { user, contexts } = content
  const hasUser = Object.keys(user).length > 0
  if (!hasUser && Object.keys(contexts).length === 0) return null
  return (
    <Panel title="Contexts">
      <div class="issue-contexts">
        {hasUser && <Context title="User" values={userPairs(user)} />}
        {contextNames(contexts).map((name) => (
          <Context key={name} title={titleOf(name)} values={contextPairs(contexts[name])} />
        ))}
      </div>
    </Panel>
  )
}

/** What is seldom looked at: data of the application, its modules, and how the event came here. */
export function MorePanels({
  event,
  content,
}: {
  readonly event: EventDetail
  readonly content: EventContent
}) {
  const { extra, modules, sdk, fingerprint, images, notes, systemInfo, errors, remarks } = content
  return (
    <>
      {Object.keys(extra).length > 0 && (
        <Panel title="Additional data">
          <ValueTable label="Additional data" values={Object.entries(extra)} />
        </Panel>
      )}
      {Object.keys(modules).length > 0 && (
        <Folded title={`Modules (${Object.keys(modules).length})`}>
          <ValueTable label="Modules" values={Object.entries(modules)} />
        </Folded>
      )}
      <Folded title="How it was sent">
        <ValueTable
          label="How it was sent"
          values={[
            ['event', event.id],
            ['happened', event.timestamp],
            ['received', event.received_at],
            ...optional('SDK', [textOf(sdk['name']), textOf(sdk['version'])]),
            ...optional('logger', [event.logger ?? undefined]),
            ...optional('distribution', [event.dist ?? undefined]),
            ...optional('fingerprint', [fingerprint.join(' · ') || undefined]),
            ...optional('loaded images', [images === 0 ? undefined : String(images)]),
            ...Object.entries(systemInfo),
            ...(sdk['packages'] === undefined ? [] : [['packages', sdk['packages']] as const]),
            ...(sdk['integrations'] === undefined
              ? []
              : [['integrations', sdk['integrations']] as const]),
          ]}
        />
      </Folded>
      {errors.length > 0 && (
        <Folded title={`Faults that the client reports (${errors.length})`}>
          <ValueTable
            label="Faults that the client reports"
            values={errors.map((error) => [textOf(error['name']) ?? '', error])}
          />
        </Folded>
      )}
      {remarks.length > 0 && (
        <Folded title={`What was cut or removed on the way (${remarks.length})`}>
          <ValueTable
            label="What was cut or removed on the way"
            values={remarks.map(({ path, text }) => [path, text])}
          />
        </Folded>
      )}
      {notes.length > 0 && (
        <Folded title={`What was cut or left out (${notes.length})`}>
          <ValueTable
            label="What was cut or left out"
            values={notes.map((note) => [textOf(note['field']) ?? '', note['rule']])}
          />
        </Folded>
      )}
    </>
  )
}

export function Folded({
  title,
  children,
}: {
  readonly title: string
  readonly children: ComponentChildren
}) {
  return (
    <details class="panel issue-folded">
      <summary>{title}</summary>
      <div class="panel-body">{children}</div>
    </details>
  )
}

function Context({ title, values }: { readonly title: string; readonly values: Pairs }) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ValueTable label={title} values={values} />
    </section>
  )
}

function contextNames(contexts: Fields): readonly string[] {
  const names = Object.keys(contexts).filter((name) => contextPairs(contexts[name]).length > 0)
  const rank = (name: string) => {
    const index = firstContexts.indexOf(name)
    return index === -1 ? firstContexts.length : index
  }
  return names.sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
}

/** `type` repeats the name. */
function contextPairs(value: unknown): Pairs {
  const fields = fieldsOf(value)
  const pairs = Object.entries(fields).filter(([name]) => name !== 'type')
  if (pairs.length === 0 && value !== undefined && Object.keys(fields).length === 0) {
    return typeof value === 'object' ? [] : [['value', value]]
  }
  return pairs
}

function userPairs(user: Fields): Pairs {
  return Object.entries(user).filter(([, value]) => value !== null && value !== undefined)
}

function titleOf(name: string): string {
  const known = titles.get(name)
  if (known !== undefined) return known
  return shortText(name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' '), 60)
}

function optional(name: string, parts: readonly (string | undefined)[]): Pairs {
  const text = parts.filter((part) => part !== undefined).join(' ')
  return text === '' ? [] : [[name, text]]
}
