/**
 * Each field of events over a real store: what it finds, and what it does not find. The rows have
 * the columns as the workers write them.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { apiOfThisFile, at, hex, type Tenant } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
let tenant: Tenant

beforeAll(async () => {
  tenant = await api().tenant('Fields')
  const facts = {
    ...{ os: 'Windows 10', os_name: 'Windows', browser: 'Chrome 126.0.0', runtime: 'node 24.1.0' },
    ...{ device_model: '', device_family: 'Pixel', device_brand: 'Google', device_arch: 'arm64' },
    ...{ geo_country: 'DE', geo_region: 'Bavaria', geo_city: 'Munich', http_status: '503' },
    ...{ mechanism: 'onerror', handled: 'no', main_thread: 'yes', sdk: 'sentry.node/9.1.0' },
    ...{ error_types: ['IOError', 'PaymentError'], error_values: ['disk', 'Card 42 declined'] },
    ...{ exception_type: 'PaymentError', title: 'PaymentError: Card 42 declined' },
  }
  const stack = {
    ...{ stack_id: 7, stack_functions: ['main', 'pay'], stack_filenames: ['cart.js'] },
    ...{ stack_abs_paths: ['/srv/cart.js'], stack_modules: ['shop.cart'] },
    ...{ stack_packages: ['libshop.so'], stack_in_app: 'yes' },
  }
  await api().addEvents(tenant, [
    { id: 'a', hash: 'fa', release: 'shop@1.2.0', ...facts, ...stack },
    // A later event with the same stack does not repeat its names.
    { id: 'b', hash: 'fa', release: 'shop@1.10.0+7', http_status: '404', stack_id: 7 },
    { id: 'c', hash: 'fc', release: 'web@3.0.0', handled: 'yes', main_thread: 'no', stack_id: 0 },
    { id: 'd', hash: 'fd', stack_id: 9, stack_functions: ['pay_all'], stack_in_app: 'no' },
  ])
  for (const [version, first] of [
    ['shop@1.2.0', -300],
    ['shop@1.10.0+7', -200],
    ['web@3.0.0', -400],
    ['0123456789abcdef0123456789abcdef01234567', -900],
  ] as const) {
    await api().addRelease(tenant, { version, first, last: -1 })
  }
  await api().pool.query(
    `update releases set first_session_at = first_event_at, last_session_at = $2
     where project_id = $1 and version like 'shop@%'`,
    [tenant.project.dsnId, at(-30)],
  )
  await api().pool.query(
    `insert into release_health_counts values ($1, $2, 'shop@1.10.0+7', 'live', 95, 0, 0, 0, 0),
       ($1, $2, 'shop@1.2.0', 'live', 5, 0, 0, 0, 0)`,
    [tenant.project.dsnId, at(-30)],
  )
})

const names = ['a', 'b', 'c', 'd']

async function search(query: string): Promise<string> {
  const { status, body } = await api().of(tenant, `/events?query=${encodeURIComponent(query)}`)
  expect([query, status, body.error]).toEqual([query, 200, undefined])
  const ids: string[] = body.items.map(({ id }: { id: string }) => id)
  return names.filter((name) => ids.includes(hex(name))).join('')
}

// biome-ignore format: the columns are the point
const cases: readonly (readonly [query: string, found: string])[] = [
  ['release:>=shop@1.2',               'ab'],
  ['release:>shop@1.2',                'b'],
  ['release:<shop@1.10',               'a'],
  ['release:>1.5',                     'bc'],
  ['release:>=web@4',                  ''],
  ['release:latest',                   'b'],
  ['release:[latest, web@3.0.0]',      'bc'],
  ['!release:latest',                  'acd'],
  ['release.version:1.2..1.5',         'a'],
  ['release.version:1.10.*',           'b'],
  ['release.version:[1.2.0, 3.0.0]',   'ac'],
  ['release.version:>=3',              'c'],
  ['release.package:shop',             'ab'],
  ['release.package:SHOP*',            'ab'],
  ['release.build:7',                  'b'],
  ['release.build:>6',                 'b'],
  ['release.build:8..9',               ''],
  ['release.stage:adopted',            'b'],
  ['release.stage:low',                'a'],
  ['release.stage:replaced',           ''],
  ['has:release.version',              'abc'],
  ['message:"card 42"',                'a'],
  ['message:card*declined',            'a'],
  ['message:disk',                     'a'],
  ['message:nothing',                  ''],
  ['error.type:IOError',               'a'],
  ['error.type:Payment*',              'a'],
  ['error.type:ioerror',               ''],
  ['error.value:"Card 42 declined"',   'a'],
  ['error.value:*CARD*',               'a'],
  ['has:error.value',                  'a'],
  ['error.handled:true',               'c'],
  ['error.handled:0',                  'a'],
  ['error.unhandled:true',             'a'],
  ['handled:yes',                      'c'],
  ['has:error.handled',                'ac'],
  ['error.mechanism:onerror',          'a'],
  ['mechanism:*ERR*',                  'a'],
  ['error.main_thread:true',           'a'],
  ['error.main_thread:false',          'c'],
  ['stack.function:pay',               'ab'],
  ['stack.function:pay*',              'abd'],
  ['!stack.function:pay',              'cd'],
  ['stack.function:pay stack.filename:cart.js', 'ab'],
  ['stack.filename:*CART*',            'ab'],
  ['stack.abs_path:/srv/*',            'ab'],
  ['stack.module:shop.cart',           'ab'],
  ['stack.package:libshop.so',         'ab'],
  ['stack.in_app:true',                'ab'],
  ['stack.in_app:false',               'd'],
  ['has:stack.function',               'abd'],
  ['http.status_code:503',             'a'],
  ['http.status_code:5*',              'a'],
  ['http.status_code:>=500',           'a'],
  ['http.status_code:400..499',        'b'],
  ['http.status_code:[404, 503]',      'ab'],
  ['!http.status_code:>=500',          'bcd'],
  ['os:"Windows 10"',                  'a'],
  ['os.name:Windows',                  'a'],
  ['browser:chrome*',                  'a'],
  ['runtime:"node 24.1.0"',            'a'],
  ['device:Pixel',                     'a'],
  ['device.family:Pixel',              'a'],
  ['device.brand:Google',              'a'],
  ['device.arch:arm64',                'a'],
  ['device.model:Pixel',               ''],
  ['geo.country:DE',                   'a'],
  ['geo.country_code:[DE, AT]',        'a'],
  ['geo.region:Bav*',                  'a'],
  ['geo.city:Munich',                  'a'],
  ['geo.city:Berlin',                  ''],
  ['sdk.name:sentry.node',             'a'],
  ['sdk.version:9.*',                  'a'],
  ['sdk.version:8.*',                  ''],
  ['geo.city:Munich OR http.status_code:404', 'ab'],
  ['!(geo.city:Munich OR http.status_code:404)', 'cd'],
  ['stack.in_app:true (release:latest OR os:nothing)', 'b'],
]

describe('a search for events', () => {
  test.each(cases)('%s', async (query, found) => {
    expect(await search(query)).toBe(found)
  })
})
