import { CopyButton } from '../../../../design/content/copy.tsx'
import { Panel } from '../../../../design/content/page.tsx'
import { shortText, visibleText } from '../../../../design/text/visible-text.ts'
import type { EventRequest, Pairs } from '../payload/read-event.ts'
import { Value, ValueTable } from './value-view.tsx'

/** The HTTP request that was being answered, or the page that was open. */
export function RequestPanel({ request }: { readonly request: EventRequest }) {
  const { url, method, query, body, headers, cookies, environment, api } = request
  const parts: readonly (readonly [string, Pairs])[] = [
    ['Query', queryPairs(query)],
    ['Headers', headers],
    ['Cookies', cookies],
    ['Server environment', Object.entries(environment)],
  ]
  return (
    <Panel
      title="Request"
      actions={url !== undefined && <CopyButton text={url} label="Copy URL" />}
    >
      <div class="stack">
        {url !== undefined && (
          <p class="issue-url">
            <strong>{shortText(method ?? 'GET', 20)}</strong> <code>{visibleText(url)}</code>
            {api !== undefined && <span class="soft"> {shortText(api, 40)}</span>}
          </p>
        )}
        {body !== undefined && body !== null && body !== '' && (
          <section aria-label="Body">
            <h3>Body</h3>
            <Value value={body} isOpen />
          </section>
        )}
        {parts.map(
          ([name, pairs]) =>
            pairs.length > 0 && (
              <section key={name} aria-label={name}>
                <h3>{name}</h3>
                <ValueTable label={name} values={pairs} />
              </section>
            ),
        )}
      </div>
    </Panel>
  )
}

function queryPairs(query: string | undefined): Pairs {
  if (query === undefined) return []
  return [...new URLSearchParams(query)]
}
