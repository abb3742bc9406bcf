/** One good item of each kind, and what puts a value into each of its places. */

const now = new Date().toISOString()
export const templateId = 'ab'.repeat(16)

/** What a browser sends to `report-uri`, with every field that it may have. */
export const cspReport = {
  'csp-report': {
    'document-uri': 'http://x/',
    'blocked-uri': 'http://y/',
    'effective-directive': 'img-src',
    'violated-directive': 'img-src',
    'original-policy': 'p',
    'line-number': 1,
    'script-sample': 's',
  },
}

/** One good item of each kind, with every field that some SDK sends. */
export const itemTemplates: readonly (readonly [type: string, payload: object])[] = [
  [
    'event',
    {
      event_id: templateId,
      timestamp: now,
      platform: 'javascript',
      level: 'error',
      logger: 'app',
      transaction: 'GET /cart',
      server_name: 'web-1',
      release: 'shop@1.0.0',
      dist: '7',
      environment: 'production',
      message: 'text',
      logentry: { message: 'template %s', formatted: 'template 1', params: ['1'] },
      fingerprint: ['a', 'b'],
      checksum: 'abc',
      tags: { key: 'value' },
      user: { id: '1', email: 'a@example.com', username: 'a', ip_address: '127.0.0.1' },
      request: {
        url: 'http://example.com/',
        method: 'GET',
        query_string: 'a=b',
        headers: { Host: 'h' },
        data: 'd',
        cookies: 'c=1',
        env: { REMOTE_ADDR: '::1' },
      },
      sdk: { name: 'sdk', version: '1', settings: { infer_ip: 'never' } },
      contexts: { trace: { trace_id: templateId, span_id: 'a'.repeat(16) }, os: { name: 'Linux' } },
      breadcrumbs: {
        values: [
          { timestamp: now, type: 't', category: 'c', message: 'm', level: 'info', data: { a: 1 } },
        ],
      },
      extra: { key: { deep: ['x'] } },
      modules: { module: '1.0' },
      debug_meta: {
        images: [
          { type: 'elf', code_file: 'f', image_addr: '0x1', image_size: 1, debug_id: templateId },
        ],
      },
      threads: { values: [{ id: 1, name: 'main', crashed: true, current: true }] },
      exception: {
        values: [
          {
            type: 'Error',
            value: 'broken',
            module: 'm',
            thread_id: 1,
            mechanism: {
              type: 'generic',
              handled: false,
              exception_id: 0,
              parent_id: 0,
              meta: { signal: { number: 11 } },
            },
            stacktrace: {
              frames: [
                {
                  function: 'f',
                  module: 'm',
                  filename: 'a.js',
                  abs_path: '/a.js',
                  lineno: 1,
                  colno: 2,
                  in_app: true,
                  context_line: 'x',
                  pre_context: ['y'],
                  vars: { v: 1 },
                  instruction_addr: '0x1',
                  package: 'p',
                  platform: 'native',
                },
              ],
            },
          },
        ],
      },
    },
  ],
  [
    'event',
    { type: 'transaction', csp: { effective_directive: 'img-src', blocked_uri: 'http://x' } },
  ],
  [
    'session',
    {
      sid: templateId,
      did: 'user',
      seq: 1,
      started: now,
      timestamp: now,
      init: true,
      status: 'ok',
      errors: 0,
      duration: 1,
      attrs: {
        release: 'shop@1.0.0',
        environment: 'production',
        ip_address: '127.0.0.1',
        user_agent: 'a',
      },
    },
  ],
  [
    'sessions',
    {
      aggregates: [
        { started: now, did: 'user', exited: 1, errored: 1, crashed: 1, abnormal: 1, unhandled: 1 },
      ],
      attrs: { release: 'shop@1.0.0', environment: 'production' },
    },
  ],
  [
    'check_in',
    {
      check_in_id: templateId,
      monitor_slug: 'nightly',
      status: 'ok',
      duration: 1.5,
      release: 'shop@1.0.0',
      environment: 'production',
      contexts: { trace: { trace_id: templateId, span_id: 'a'.repeat(16) } },
      monitor_config: {
        schedule: { type: 'crontab', value: '* * * * *' },
        checkin_margin: 1,
        max_runtime: 1,
        timezone: 'UTC',
        failure_issue_threshold: 1,
        recovery_threshold: 1,
      },
    },
  ],
  [
    'check_in',
    {
      monitor_slug: 'interval',
      status: 'error',
      monitor_config: { schedule: { type: 'interval', value: 1, unit: 'hour' } },
    },
  ],
  [
    'client_report',
    {
      timestamp: now,
      discarded_events: [{ reason: 'before_send', category: 'error', quantity: 1 }],
    },
  ],
  [
    'feedback',
    {
      event_id: templateId,
      timestamp: now,
      release: 'shop@1.0.0',
      environment: 'production',
      user: { email: 'a@example.com' },
      contexts: {
        feedback: {
          message: 'm',
          contact_email: 'a@example.com',
          name: 'n',
          url: 'http://example.com/x',
          source: 'widget',
          associated_event_id: templateId,
        },
      },
    },
  ],
  ['user_report', { event_id: templateId, name: 'n', email: 'a@example.com', comments: 'c' }],
]

/** The payload with each of its values in turn, also its lists and objects, replaced by `text`. */
export function* replaced(value: unknown, text: string): Generator<string> {
  yield text
  if (typeof value !== 'object' || value === null) return
  const entries = Object.entries(value)
  for (const [name, inner] of entries) {
    for (const changed of replaced(inner, text)) {
      const parts = entries.map(([key, other]) => {
        const part = key === name ? changed : JSON.stringify(other)
        return Array.isArray(value) ? part : `${JSON.stringify(key)}:${part}`
      })
      yield Array.isArray(value) ? `[${parts.join(',')}]` : `{${parts.join(',')}}`
    }
  }
}
