/**
 * Writes events, sessions and outcomes straight into ClickHouse, by statements over `numbers()`.
 * All values follow from the number of the event, so that two fills are equal.
 */
import type { ClickHouseClient } from '#platform/clickhouse.ts'

export interface EventFill {
  readonly projectId: number
  readonly events: number
  readonly issues: number
  readonly nowMs: number
}

export const filledDays = 90
export const releaseCount = 200
const rowsPerStatement = 500_000
const rowsPerBlock = 250_000
const sessionsPerEvent = 0.1

/** Names and texts that the requests of the screens ask for, too. */
export const words = {
  environments: ['production', 'staging', 'development', 'preview'],
  regions: ['eu-west', 'eu-north', 'us-east', 'us-west', 'ap-south', 'sa-east'],
  routes: [
    ...['checkout', 'cart', 'orders', 'products', 'search', 'login', 'account', 'invoices'],
    ...['shipping', 'returns', 'reviews', 'wishlist', 'payments', 'vouchers', 'reports'],
    ...['settings', 'exports', 'imports', 'webhooks', 'sessions'],
  ],
  errors: ['TypeError', 'RangeError', 'TimeoutError', 'QueryError', 'HttpError', 'ParseError'],
  verbs: ['read', 'write', 'load', 'store', 'parse', 'render', 'send', 'fetch', 'merge', 'close'],
} as const

const issuesPerRoute = 60

export function customerOf(index: number): string {
  return `customer-${1 + ((index * 389) % 2_000)}`
}

/** A text in the title of one issue only, if its number has as many digits as the highest one. */
export function placeOf(issue: number): string {
  return `${words.routes[Math.floor(issue / issuesPerRoute) % words.routes.length]}-${issue}`
}

const list = (values: readonly string[]) => `[${values.map((value) => `'${value}'`).join(', ')}]`
const pick = (values: readonly string[], at: string) =>
  `${list(values)}[1 + ${at} % ${values.length}]`

/** A number in [0, 1) that follows from the event's number and a salt. */
const share = (salt: number) => `(sipHash64(number, ${salt}) / 18446744073709551616.)`
/** The nth of `count` values has a share of about 1/n. */
const skewed = (salt: number, count: string) =>
  `toUInt32(least(${count}, floor(pow(${count} + 1, ${share(salt)}))))`

/** Each partition is complete before the next one begins, which keeps merges small. */
export async function fillEvents(
  clickhouse: ClickHouseClient,
  fill: EventFill,
  onProgress: (events: number) => void,
): Promise<void> {
  for (let from = 0; from < fill.events; from += rowsPerStatement) {
    const count = Math.min(rowsPerStatement, fill.events - from)
    await run(clickhouse, eventInsert(fill, from, count))
    onProgress(from + count)
  }
  await run(clickhouse, sessionInsert(fill))
  await run(clickhouse, outcomeInsert(fill))
}

async function run(clickhouse: ClickHouseClient, query: string): Promise<void> {
  await clickhouse.command({
    query,
    clickhouse_settings: {
      max_block_size: String(rowsPerBlock),
      max_insert_block_size: String(rowsPerBlock),
      min_insert_block_size_rows: String(rowsPerBlock),
      min_insert_block_size_bytes: '0',
      // A repeated fill is not a repeated insert.
      insert_deduplicate: 0,
    },
  })
}

function eventInsert(fill: EventFill, from: number, count: number): string {
  const { projectId, events, issues, nowMs } = fill
  const stepMs = (filledDays * 86_400_000) / events
  const users = Math.max(1_000, Math.round(events / 50))
  return `insert into events (project_id, event_id, fingerprint, occurred_at, received_at, level, platform,
      title, culprit, exception_type, logger, release, dist, environment, component, server_name, sdk,
      user_id, user_email, user_name, user_ip, tags, grouping, payload, dsn_key_no, retention_days,
      partition, stream_generation, stream_seq, record_index, url, http_method, transaction, trace_id,
      os_name, browser_name, device_model, runtime_name, os, browser, runtime, device_family, device_brand,
      device_arch, geo_country, geo_region, geo_city, http_status, mechanism, handled, main_thread, error_types,
      error_values, stack_id, stack_functions, stack_filenames, stack_abs_paths, stack_modules, stack_packages,
      stack_in_app)
    with
      ${skewed(1, String(issues))} as issue,
      fromUnixTimestamp64Milli(toInt64(${nowMs} - ${filledDays * 86_400_000} + number * ${stepMs}), 'UTC') as at,
      ${pick(words.errors, 'issue')} as error_type,
      ${pick(words.verbs, 'intDiv(issue, 6)')} as verb,
      ${pick(words.routes, `intDiv(issue, ${issuesPerRoute})`)} as noun,
      -- Most events come from the newest releases.
      greatest(1, toInt32(ceil(${releaseCount} * (number + 1) / ${events}))
        - (${skewed(2, '20')} - 1)) as release_no,
      ${pick(words.routes, skewed(3, '20'))} as route,
      sipHash64(number, 4) as dice,
      ${skewed(5, String(users))} as user,
      concat(noun, '-', toString(issue)) as place,
      arrayConcat(arrayMap(depth -> concat('step_', toString(depth)), range(8)), [concat(verb, '_', noun)]) as stack,
      arrayMap(depth -> concat('/srv/src/step_', toString(depth), '.js'), range(9)) as files,
      concat('GET /', route, '/:id') as transaction_name,
      concat('https://shop.example/', route, '/', toString(dice % 100000)) as page_url,
      if(dice % 4 = 0, 'POST', 'GET') as method,
      concat('model-', toString(dice % 60)) as model,
      lower(hex(sipHash128(number, 6))) as trace,
      ${pick(['Linux', 'Windows', 'macOS', 'Android', 'iOS'], skewed(7, '5'))} as os,
      ${pick(['Chrome', 'Firefox', 'Safari', 'Edge'], skewed(8, '4'))} as browser
    select ${projectId}, reinterpretAsUUID(sipHash128(${projectId}, number, 9)),
      toUUID(lower(hex(MD5(concat('${projectId} ', toString(issue)))))), at, at,
      multiIf(issue % 20 < 14, 'error', issue % 20 < 17, 'warning', issue % 20 < 18, 'fatal', 'info'), 'node',
      concat(error_type, ': cannot ', verb, ' ', place), concat(verb, '_', noun, ' in ', noun, '.js'), error_type,
      'app', concat('shop@1.', toString(release_no), '.0'), '',
      multiIf(dice % 100 < 70, 'production', dice % 100 < 85, 'staging', dice % 100 < 95, 'development', 'preview'),
      ${pick(['', 'worker', 'cli'], 'issue')}, concat('web-', toString(dice % 40)), 'sentry.javascript.node/11.11.0',
      if(dice % 10 < 8, toString(user), ''), if(dice % 10 < 4, concat('user', toString(user), '@example.com'), ''), '',
      if(dice % 10 = 9, '', concat('10.', toString(user % 250), '.', toString(dice % 250), '.7')),
      map('region', ${pick(words.regions, skewed(10, '6'))}, 'browser', browser,
        'customer', concat('customer-', toString(${skewed(11, '2000')})), 'queue', toString(dice % 20),
        'plan', ${pick(['free', 'team', 'business'], 'user')}),
      concat('{"algorithm":"v1","path":"stack","hashes":["', lower(hex(MD5(concat('${projectId} ', toString(issue))))), '"]}'),
      concat('{"level":"error","platform":"node","transaction":"', transaction_name,
        '","request":{"url":"', page_url, '","method":"', method, '","headers":[["Accept","text/html"],["User-Agent","Mozilla/5.0 (', os, ') ', browser, '/', toString(90 + dice % 40),
        '.0"]]},"user":{"id":"', toString(user), '"},"contexts":{"trace":{"trace_id":"', trace, '","span_id":"', substring(trace, 3, 16),
        '"},"os":{"name":"', os, '","version":"', toString(dice % 17), '"},"browser":{"name":"', browser,
        '"},"device":{"model":"', model, '"},"runtime":{"name":"node","version":"v22.', toString(dice % 14), '.0"}},',
        '"exception":{"values":[{"type":"', error_type, '","value":"cannot ', verb, ' ', place,
        '","stacktrace":{"frames":[', frames, ']},"mechanism":{"type":"generic","handled":true}}]},',
        '"breadcrumbs":[', arrayStringConcat(arrayMap(step -> concat('{"timestamp":"2026-11-20T10:', toString(10 + step), ':00Z","category":"http","message":"GET /',
          ${pick(words.routes, 'bitXor(dice, step)')}, '/', toString(bitAnd(bitShiftRight(dice, step), 65535)), '","level":"info"}'), range(6)), ','),
        '],"extra":{"attempt":', toString(dice % 5), ',"amount":', toString(dice % 100000), '}}'),
      1, ${filledDays * 2}, 65535, 1, number + 1, 0,
      page_url, method, transaction_name, trace, os, browser, model, 'node',
      concat(os, ' ', toString(dice % 17)), concat(browser, ' ', toString(90 + dice % 40)), concat('node v22.', toString(dice % 14), '.0'),
      concat('family-', toString(dice % 12)), ${pick(['Google', 'Samsung', 'Apple'], 'dice')}, if(dice % 3 = 0, 'x64', 'arm64'),
      ${pick(['DE', 'FR', 'US', 'JP', 'BR'], skewed(17, '5'))}, concat('region-', toString(user % 50)), concat('city-', toString(user % 500)),
      if(dice % 5 = 0, '503', ''), 'generic', if(dice % 6 = 0, 'no', 'yes'), '', [error_type], [concat('cannot ', verb, ' ', place)],
      -- A range of about four thousand events has each stack once.
      sipHash64(issue), if(sipHash64(number, 18) % 4 = 0, stack, []), if(sipHash64(number, 18) % 4 = 0, files, []), [],
      if(sipHash64(number, 18) % 4 = 0, [concat('shop.', noun)], []), [], if(sipHash64(number, 18) % 4 = 0, 'yes', '')
    from (
      select number, arrayStringConcat(arrayMap(depth -> concat('{"function":"step_', toString(depth), '","filename":"/srv/src/step_', toString(depth),
        '.js","lineno":', toString(20 + depth), ',"in_app":', if(depth > 6, 'true', 'false'), ',"context_line":"  return await next(request, reply)"}'), range(9)), ',') as frames
      from numbers(${from}, ${count})
    )`
}

function sessionInsert({ projectId, events, nowMs }: EventFill): string {
  const sessions = Math.round(events * sessionsPerEvent)
  const stepSeconds = (filledDays * 86_400) / sessions
  return `insert into sessions (project_id, hour, release, environment, sid, status, errored, weight, user_hash, duration_ms, retention_days)
    select ${projectId},
      toStartOfHour(toDateTime(toInt64(${Math.floor(nowMs / 1000)} - ${filledDays * 86_400} + number * ${stepSeconds}), 'UTC')),
      concat('shop@1.', toString(greatest(1, toInt32(ceil(${releaseCount} * (number + 1) / ${sessions})) - (${skewed(2, '20')} - 1))), '.0'),
      ${pick(words.environments, skewed(12, '4'))}, reinterpretAsUUID(sipHash128(${projectId}, number, 13)),
      multiIf(${share(14)} < 0.01, 4, ${share(14)} < 0.015, 3, ${share(14)} < 0.02, 2, 1),
      ${share(14)} < 0.04, 1, sipHash64(${skewed(15, String(Math.max(1_000, sessions / 20)))}), toUInt64(${share(16)} * 600000), ${filledDays * 2}
    from numbers(${sessions})`
}

function outcomeInsert({ projectId, events, nowMs }: EventFill): string {
  const hours = filledDays * 24
  return `insert into outcomes (project_id, dsn_key_no, component, hour, outcome, reason, category, quantity)
    with [('accepted', '', 80), ('filtered', 'browser_extensions', 8), ('rate_limited', 'quota', 5),
      ('client_discard', 'sample_rate', 4), ('invalid', 'too_large', 1), ('filtered', 'crawlers', 2)] as fates
    select ${projectId}, 1 + number % 3, ${pick(['', 'worker', 'cli'], 'number')},
      toDateTime(toInt64(intDiv(${Math.floor(nowMs / 1000)}, 3600) * 3600 - intDiv(number, 6 * 3 * 3) * 3600), 'UTC'),
      tupleElement(fates[1 + intDiv(number, 3) % 6], 1), tupleElement(fates[1 + intDiv(number, 3) % 6], 2),
      ${pick(['error', 'session', 'transaction'], 'intDiv(number, 18)')},
      1 + intDiv(${events} * tupleElement(fates[1 + intDiv(number, 3) % 6], 3), ${hours * 300})
    from numbers(${hours * 6 * 3 * 3})`
}
