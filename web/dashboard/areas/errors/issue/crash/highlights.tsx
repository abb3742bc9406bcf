import { shortText } from '../../../../design/text/visible-text.ts'
import type { EventDetail } from '../issue-reads.ts'
import { fieldsOf, textOf } from '../payload/fields.ts'
import type { EventContent } from '../payload/read-event.ts'

const textCharactersMax = 120

/** What people ask first: where it ran, in which release, for whom. One line of facts. */
export function Highlights({
  event,
  content,
}: {
  readonly event: EventDetail
  readonly content: EventContent
}) {
  const { contexts } = content
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Release', event.release ?? undefined],
    ['Environment', event.environment ?? undefined],
    ['User', userName(event)],
    ['Page', textOf(fieldsOf(content.request)['url'])],
    ['Transaction', transactionOf(event)],
    ['Browser', nameAndVersion(contexts['browser'])],
    ['System', nameAndVersion(contexts['os'])],
    ['Device', deviceOf(contexts['device'])],
    ['Runtime', nameAndVersion(contexts['runtime'])],
    ['Server', event.server_name ?? undefined],
    ['Component', event.component ?? undefined],
  ]
  const known = facts.filter(([, value]) => value !== undefined)
  if (known.length === 0) return null
  return (
    <dl class="issue-highlights">
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd title={shortText(value, 1_000)}>{shortText(value, textCharactersMax)}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

export function toneOf(level: string): 'danger' | 'warning' | 'info' | 'neutral' {
  if (level === 'fatal' || level === 'error') return 'danger'
  if (level === 'warning') return 'warning'
  return level === 'info' ? 'info' : 'neutral'
}

function userName({ user }: EventDetail): string | undefined {
  return user?.email ?? user?.name ?? user?.id ?? user?.ip ?? undefined
}

function transactionOf({ payload }: EventDetail): string | undefined {
  return textOf(fieldsOf(payload)['transaction'])
}

function nameAndVersion(context: unknown): string | undefined {
  const { name, version } = fieldsOf(context)
  const text = [textOf(name), textOf(version)].filter((part) => part !== undefined).join(' ')
  return text === '' ? undefined : text
}

function deviceOf(context: unknown): string | undefined {
  const { model, family, name } = fieldsOf(context)
  return textOf(model) ?? textOf(family) ?? textOf(name)
}
