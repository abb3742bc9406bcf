/**
 * Every field of `if`, and fields of queries, on events as SDKs send them: which of the recorded
 * events make a rule fire, and that the preview finds the same.
 */
import { beforeAll, expect, test } from 'vitest'
import { AlertFilter } from '#schemas/rest/alerts/alert.ts'
import { alertDeskOfThisFile, type DeskTenant } from '../fixtures/alerts/alert-desk.ts'
import { sdkEvent, sdkEventNames } from '../fixtures/alerts/sdk-event.ts'

const desk = alertDeskOfThisFile()

const node = sdkEventNames.filter((name) => name.startsWith('sentry-node'))
const nodeMessages = ['sentry-node-10-message', 'sentry-node-11-message']
const [browser, cocoa, go, java, php] = [
  'sentry-browser-10-error',
  'sentry-cocoa',
  'sentry-go',
  'sentry-java',
  'sentry-php',
] as const
const [python, logging, ruby] = ['sentry-python', 'sentry-python-logging', 'sentry-ruby'] as const
const [csp, raven, ravenMessage, ravenOld] = [
  'csp-report',
  'raven-2-error',
  'raven-2-message',
  'raven-interfaces',
] as const
const production = [browser, cocoa, java, python, logging, ruby]

/** Labels of component keys that the events were sent with. */
const components: Readonly<Record<string, string>> = { [browser]: 'web', [cocoa]: 'app' }

// biome-ignore format: the columns are the point
const rows: readonly (readonly [filter: AlertFilter, wanted: readonly string[]])[] = [
  [{},                                                        sdkEventNames],
  [{ unresolved: true },                                      sdkEventNames],
  [{ environment: ['production'] },                           production],
  [{ environment: ['staging', 'prod'] },                      [...node, raven, ravenMessage, ravenOld]],
  [{ environment: ['Production'] },                           []],
  [{ environment: ['prod*'] },                                []],
  [{ level: ['fatal'] },                                      [cocoa, java]],
  [{ level: ['warning', 'info'] },                            [...nodeMessages, ravenMessage]],
  [{ level: ['debug'] },                                      []],
  [{ component: ['web'] },                                    [browser]],
  [{ component: ['web', 'app', 'job'] },                      [browser, cocoa]],
  [{ component: ['we'] },                                     []],
  [{ release: ['shop@*'] },                                   [...node, python]],
  [{ release: ['shop@3.1.0'] },                               [python]],
  [{ release: ['*+45', 'old@*'] },                            [java, raven, ravenMessage]],
  [{ release: ['shop@3.1'] },                                 []],
  [{ tags: { cart: ['b*'] } },                                node],
  [{ tags: { cart: ['small'] } },                             []],
  [{ tags: { 'shop.kind': ['b2b'], retry: ['true'] } },       [python]],
  [{ tags: { 'shop.kind': ['b2b'], retry: ['false'] } },      []],
  [{ query: 'platform:python' },                              [ravenOld, python, logging]],
  [{ query: '!has:user' },                                    [csp, browser, go, java, logging]],
  [{ query: 'error.type:TypeError' },                         [browser, 'sentry-node-10-error', 'sentry-node-11-error']],
  [{ query: 'user.email:ada@example.com' },                   [...node, python]],
  [{ query: '"Payment is slow"' },                            nodeMessages],
  [{ query: 'http.method:POST' },                             [ravenOld, php]],
  [{ query: 'runtime.name:node' },                            node],
  [{ query: 'sdk:sentry.ruby*' },                             [ruby]],
  [{ query: 'cart:big level:warning' },                       nodeMessages],
  [{ query: 'server_name:web-1 !environment:staging' },       [raven, ravenMessage, go, php, python, ruby]],
  [{ query: 'tags[note]:"two lines"' },                       [php]],
  [{ query: 'logger:[php, shop.billing]' },                   [php, logging]],
  [{ query: 'dist:45' },                                      [java]],
  [{ query: 'transaction:/cart*' },                           [php, python]],
  [{ query: 'os.name:Linux' },                                [ruby]],
  [{ query: 'os.name:li*x' },                                [go, ruby]],
  [{ query: 'user.id:7' },                                    [raven, ravenMessage, php]],
  [{ environment: ['production'], level: ['fatal'], release: ['com.*'] }, [java]],
  [{ environment: ['production'], query: '!platform:python' }, [browser, cocoa, java, ruby]],
  [{ level: ['error'], query: 'level:fatal' },                []],
]

let tenant: DeskTenant
const rules = new Map<AlertFilter, string>()
const nameOfEvent = new Map<string, string>()

beforeAll(async () => {
  tenant = await desk().tenant()
  for (const [filter] of rows) {
    rules.set(filter, await desk().addRule(tenant, { when: [{ type: 'new_issue' }], if: filter }))
  }
  const ids = await desk().receive(
    tenant,
    sdkEventNames.map((name) => {
      // Each is an issue of its own.
      const payload = sdkEvent(name, { fingerprint: [name] })
      const component = components[name]
      return component === undefined ? { payload } : { payload, header: { component } }
    }),
  )
  for (const [index, id] of ids.entries()) nameOfEvent.set(id, sdkEventNames[index]!)
})

test.each(rows)('%j', async (filter, wanted) => {
  const fired = await desk().fired(rules.get(filter)!)
  const names = fired.map(({ event_id }) => nameOfEvent.get(event_id!))
  expect(names.sort()).toEqual([...wanted].sort())

  const body = { name: 'Tried', when: [{ type: 'new_issue' }], if: filter, then: [] }
  const preview = await desk().ask(tenant, 'POST', '/alerts/preview', body)
  const { rows: issues } = await desk().api.pool.query<{ id: string }>(
    'select issue_id as id from alert_firings where rule_id = $1',
    [rules.get(filter)],
  )
  const found = preview.would_have_fired.map((one: { issue_id: string }) => one.issue_id)
  expect(found.sort()).toEqual(issues.map(({ id }) => id).sort())
})

test('every field of a filter has rows that match and rows that do not', () => {
  const fields = Object.keys(AlertFilter.shape)
  for (const field of fields) {
    const alone = rows.filter(([filter]) => Object.keys(filter).join() === field)
    expect([field, alone.some(([, wanted]) => wanted.length > 0)]).toEqual([field, true])
    // New issues are unresolved.
    const misses = field === 'unresolved' || alone.some(([, wanted]) => wanted.length < 18)
    expect([field, misses]).toEqual([field, true])
  }
})
