// cspell:ignore anonfun
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '#platform/project-root.ts'
import { eventOfLog } from '../../../ingest/otlp/event-of-log.ts'
import { jsonEncoding } from '../../../ingest/otlp/otlp-encoding.ts'
import { groupSent } from '../../../test/fixtures/grouping/group-sent.ts'
import type { Grouping } from '../grouping.ts'

const folder = join(projectRoot, 'test/fixtures/recorded-programs/events')

/** @param changes texts that the event has instead of recorded ones */
function group(client: string, name: string, changes: Record<string, string> = {}): Grouping {
  const events = recordedEvents(client)
  const sent = client.startsWith('otlp-') ? fromLog(events[name]) : events[name]
  return groupSent(sent, changes)
}

function recordedEvents(client: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(join(folder, `${client}.json`), 'utf8'))
}

/** The event that the ingest makes of a record of OTLP/JSON. */
function fromLog(request: unknown): unknown {
  const bytes = Buffer.from(JSON.stringify(request))
  const found = jsonEncoding.scan(bytes)
  if (found.kind === 'malformed') throw new Error(found.cause)
  return eventOfLog(jsonEncoding.reader(bytes).read(found.records[0]!)!)
}

const go = [
  'sentry-go-0.20',
  'sentry-go-0.20-trimpath',
  'sentry-go-0.33',
  'sentry-go-0.33-trimpath',
]
const java = ['sentry-java-6.34', 'sentry-java-8.13']
const kotlin = ['sentry-kotlin-6.34', 'sentry-kotlin-8.13']
const scala = ['sentry-scala-6.34', 'sentry-scala-8.13']
const ruby = ['raven-ruby-3.1', 'sentry-ruby-5.3']
const newRuby = ['sentry-ruby-5.3']
const php = ['sentry-php-4.0', 'sentry-php-4.29']
const native = ['sentry-native-0.5', 'sentry-native-0.16']
const python = ['sentry-python-1.5', 'sentry-python-2.30']
const logs = ['otlp-python-1.22', 'otlp-python-1.34']

const checkout = 'com.example.checkout.Checkout'
// biome-ignore format: one event a line
const events: readonly (readonly [clients: readonly string[], name: string, path: string, title: string, culprit: string])[] = [
  [go, 'wrapped', 'exception-stack', '*fmt.wrapError: reserve item 4711: no stock left for item 4711', 'main in main'],
  [go, 'typed', 'exception-stack', '*main.PaymentError: payment refused: card_declined', 'main in main'],
  [go, 'message', 'thread-stack', 'stock of 3 items is low', 'main in main'],
  [java, 'chain', 'exception-stack', 'Checkout$PaymentException: payment of card-81 failed', `${checkout} in pay`],
  [java, 'message', 'thread-stack', 'stock of 3 items is low', `${checkout} in main`],
  [java, 'uncaught', 'exception-stack', 'NullPointerException: Cannot invoke "Object.toString()" because "<parameter1>" is null', `${checkout} in nameOf`],
  [kotlin, 'chain', 'exception-stack', 'PaymentException: payment of card-81 failed', `${checkout} in pay`],
  [kotlin, 'extension', 'exception-stack', 'NumberFormatException: For input string: "three"', `${checkout}Kt in quantity`],
  [kotlin, 'coroutine', 'exception-stack', 'NoSuchElementException: Key 4712 is missing in the map.', `${checkout} in addressOf`],
  [kotlin, 'message', 'thread-stack', 'stock of 3 items is low', `${checkout}Kt in main`],
  [kotlin, 'uncaught', 'exception-stack', 'NullPointerException', `${checkout}$Companion in nameOf`],
  [scala, 'chain', 'exception-stack', 'PaymentException: payment of card-81 failed', `${checkout} in pay`],
  [scala, 'match', 'exception-stack', 'MatchError: cash (of class java.lang.String)', `${checkout} in fee`],
  [scala, 'future', 'exception-stack', 'NoSuchElementException: key not found: 4712', 'com.example.checkout.Shipping in addressOf'],
  [scala, 'message', 'thread-stack', 'stock of 3 items is low', `${checkout} in main`],
  [ruby, 'chain', 'exception-stack', 'PaymentError: payment of card-81 failed', 'checkout.rb in pay'],
  [php, 'chain', 'exception-stack', 'Shop\\PaymentException: payment of card-81 failed', 'checkout.php in Shop\\Checkout::pay'],
  [php, 'closure', 'exception-stack', 'OutOfBoundsException: no customer 18', 'checkout.php in Shop\\Checkout::nameOf'],
  [php, 'generator', 'exception-stack', 'TypeError: str_repeat(): Argument #2 ($times) must be of type int, null given', 'checkout.php in Shop\\Checkout::{closure}'],
  [php, 'anonymous', 'exception-stack', 'ReflectionException: Method class@anonymous::charge() does not exist', 'checkout.php in class@anonymous::run'],
  [php, 'warning', 'exception-stack', 'ErrorException: Warning: hex2bin(): Hexadecimal input string must have an even length', 'checkout.php in {closure}'],
  [php, 'message', 'stack', 'stock of 3 items is low', 'checkout.php in Shop\\main'],
  [php, 'uncaught', 'exception-stack', 'Exception: Failed to parse time string (no date of delivery) at position 0 (n): The timezone could not be found in the database', 'checkout.php in Shop\\main'],
  [native, 'lambda', 'exception-stack', 'shop::Cart::total::lambda::operator()', 'shop::Cart::total::lambda::operator()'],
  [native, 'system', 'exception-stack', 'shop::Cart::nameLength', 'shop::Cart::nameLength'],
  [native, 'abort', 'exception-stack', 'libstdc++.so.6.0.30+0x9d919', 'libstdc++.so.6.0.30+0x9d919'],
  [native, 'reported', 'exception-stack', 'PaymentError: payment of card-81 failed', 'report'],
  [native, 'message', 'message', 'stock of 3 items is low', ''],
  [python, 'chain', 'exception-stack', 'PaymentError: payment of card-81 failed', '__main__ in pay'],
  [python, 'unknownKey', 'exception-stack', 'KeyError: 18', '__main__ in restore'],
  [python, 'async', 'exception-stack', "KeyError: 'address'", '__main__ in ship'],
  [python, 'message', 'message', 'stock of 3 items is low', ''],
  [python, 'logged', 'exception-stack', 'PaymentError: payment of card-82 failed', '__main__ in pay'],
  [logs, 'chain', 'exception-stack', 'PaymentError: payment of card-81 failed', 'checkout_logs.py in pay'],
  [logs, 'otherCard', 'exception-stack', 'PaymentError: payment of card-82 failed', 'checkout_logs.py in pay'],
  [logs, 'unknownKey', 'exception-stack', 'KeyError: 18', 'checkout_logs.py in find'],
  [['otlp-python-1.22'], 'message', 'message', 'stock of 3 items is low', ''],
  [['otlp-python-1.34'], 'message', 'message', 'stock of 3 items is low', 'main'],
  [['raven-ruby-3.1'], 'message', 'message', 'stock of 3 items is low', ''],
  [newRuby, 'message', 'thread-stack', 'stock of 3 items is low', 'checkout.rb in <main>'],
]

describe.each(events)('%j %s', (clients, name, path, title, culprit) => {
  test.each(clients)('%s', (client) => {
    const { path: gotPath, title: gotTitle, culprit: gotCulprit } = group(client, name)
    expect([gotPath, gotTitle, gotCulprit]).toEqual([path, title, culprit])
  })

  test('one issue for all versions', () => {
    const hashes = new Set(clients.map((client) => group(client, name).hashes[0].hash))
    expect([...hashes]).toHaveLength(1)
  })
})

const separate = [...kotlin, ...scala, ...php, ...native]
test.each(separate)('%s: different errors are different issues', (client) => {
  // The two with addresses are the same errors as those with names.
  const names = Object.keys(recordedEvents(client)).filter((name) => !name.endsWith('Addresses'))
  const hashes = names.flatMap((name) => group(client, name).hashes.map(({ hash }) => hash))
  expect(new Set(hashes).size).toBe(hashes.length)
})

test.each([...kotlin, ...scala])('%s: another value or line is no other issue', (client) => {
  const changes = { 'card-81': 'card-82', '"lineno": ': '"lineno": 10', '4712': '4713' }
  for (const name of ['chain', 'message', 'uncaught']) {
    const hash = group(client, name).hashes[0].hash
    expect([name, group(client, name, changes).hashes[0].hash]).toEqual([name, hash])
  }
})

test.each(scala)('%s: an error that ends a thread', (client) => {
  const { path, title, culprit } = group(client, 'uncaught')
  expect([path, title, culprit]).toEqual([
    'exception-stack',
    'MatchError: null',
    `${checkout} in fee`,
  ])
})

// Scala 2 calls the function that the thread runs `$anonfun$main$5`, and Scala 3 `$anonfun$1`,
// without the method that it is written in. To ignore the method in the names of Scala 2, too,
// would make one issue of the errors in closures of different methods.
test.fails('Scala: the thread of both versions is one issue', () => {
  const [first, second] = scala.map((client) => group(client, 'uncaught').hashes[0].hash)
  expect(first).toBe(second)
})

test('errors wrapped at one place with different causes are different issues', () => {
  const refused = { 'no stock left': 'no route to the warehouse' }
  for (const client of go) {
    const [other] = group(client, 'wrapped', refused).hashes
    expect(other.hash).not.toBe(group(client, 'wrapped').hashes[0].hash)
  }
})

test.each([...python, ...logs])(
  '%s: different errors of one program are different issues',
  (client) => {
    const names = client.startsWith('otlp-')
      ? ['chain', 'unknownKey', 'message']
      : ['chain', 'unknownKey', 'async', 'message']
    const hashes = names.map((name) => group(client, name).hashes[0].hash)
    expect(new Set(hashes).size).toBe(names.length)
  },
)

test.each(logs)('%s: other values are no other issue', (client) => {
  const hash = (name: string) => group(client, name).hashes[0].hash
  expect(hash('otherCard')).toBe(hash('chain'))
  expect(hash('otherMessage')).toBe(hash('message'))
  expect(hash('message')).toBe(group(logs[0]!, 'message').hashes[0].hash)
})

test.each(go)('%s: the panic is one issue, and shows the index', (client) => {
  const panic = group(client, 'panic')
  expect(panic.hashes[0].hash).toBe(group('sentry-go-0.20', 'panic').hashes[0].hash)
  expect(panic.title).toBe(
    'runtime.boundsError: runtime error: index out of range [2] with length 2',
  )
})

// The client leaves out the frames of the runtime, so nothing tells the deferred function that
// recovers from the function that failed.
test.fails.each(go)('%s: the culprit of a panic is not the function that recovers', (client) => {
  expect(group(client, 'panic').culprit).toBe('main in (*Order).total')
})

test.each(ruby)('%s: an unknown key is one issue', (client) => {
  const grouping = group(client, 'unknownKey')
  expect(grouping.title).toBe('KeyError: key not found: :lines')
  expect(grouping.hashes[0].hash).toBe(group('raven-ruby-3.1', 'unknownKey').hashes[0].hash)
})

test.each(ruby)('%s: the culprit is the method that called one of Ruby', (client) => {
  expect(group(client, 'unknownKey').culprit).toBe('checkout.rb in restore')
})

// Two builds of a program place a function differently, so only the names make them one issue.
test.each(native)('%s: without names, the offset in the image tells errors apart', (client) => {
  const [lambda] = group(client, 'lambdaAddresses').hashes
  const [system] = group(client, 'systemAddresses').hashes
  expect(lambda.hash).not.toBe(system.hash)
  expect(group(client, 'lambdaAddresses').culprit).toMatch(/^checkout\+0x[0-9a-f]{4}$/)
})

test('the frames of the handler of a signal are shown, and are not where the error is', () => {
  expect(group('sentry-native-0.5', 'thread').culprit).toBe('shop::weigh<T>')
  expect(group('sentry-native-0.16', 'thread').culprit).toBe('shop::weigh<T>')
})
