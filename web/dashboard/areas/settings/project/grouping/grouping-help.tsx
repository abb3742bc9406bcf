import { Panel } from '../../../../design/content/page.tsx'
import './grouping.css'

const fingerprints = [
  { rule: 'type:DbError -> database', use: 'All are one issue.' },
  {
    rule: 'type:*Timeout -> {{ default }}, {{ transaction }}',
    use: 'Grouped as usual, and apart by transaction.',
  },
  {
    rule: 'message:"payment * failed" !level:info -> pay title="Payment failed"',
    use: 'Quotes for blanks, ! for not, and a title.',
  },
] as const
const stacks = [
  {
    rule: 'path:**/vendor/acme/** +app',
    use: 'These frames are your own code; -app: they are not.',
  },
  { rule: 'function:retry_* -group', use: 'These frames do not count for grouping.' },
  { rule: 'function:panic_handler ^-group', use: 'All that it called; v: all that called it.' },
  { rule: '[ function:dispatch ] | module:app.* -app', use: 'Only when that frame called it.' },
] as const

/** The notation of both kinds of rules. */
export function GroupingHelp() {
  return (
    <Panel title="Syntax">
      <div class="grouping-help">
        <p>
          One rule a line; all matchers of a line must match. <code>*</code> is any characters,{' '}
          <code>?</code> one; in paths <code>**</code> goes across folders. Upper and lower case are
          the same. <code># …</code> is a comment.
        </p>
        <h3>Fingerprint rules</h3>
        <Examples items={fingerprints} />
        <p class="soft">
          Matchers: <code>type</code>, <code>value</code>, <code>message</code>, <code>path</code>,{' '}
          <code>function</code>, <code>module</code>, <code>package</code>, <code>app</code>,{' '}
          <code>family</code>, <code>mechanism</code>, <code>level</code>, <code>logger</code>,{' '}
          <code>release</code>, <code>environment</code>, <code>transaction</code>, <code>sdk</code>
          , <code>tags.NAME</code>.
        </p>
        <h3>Stack-trace rules</h3>
        <Examples items={stacks} />
        <p class="soft">
          Matchers: <code>path</code>, <code>function</code>, <code>module</code>,{' '}
          <code>package</code>, <code>app</code>, <code>family</code>, <code>type</code>,{' '}
          <code>value</code>, <code>mechanism</code>.
        </p>
      </div>
    </Panel>
  )
}

function Examples({
  items,
}: {
  readonly items: readonly { readonly rule: string; readonly use: string }[]
}) {
  return (
    <dl>
      {items.map(({ rule, use }) => (
        <div key={rule}>
          <dt>
            <code>{rule}</code>
          </dt>
          <dd class="soft">{use}</dd>
        </div>
      ))}
    </dl>
  )
}
