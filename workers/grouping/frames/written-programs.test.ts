// cspell:ignore libapp
import { describe, expect, test } from 'vitest'
import { groupSent } from '../../../test/fixtures/grouping/group-sent.ts'
import { writtenPrograms } from '../../../test/fixtures/recorded-programs/written/written-programs.ts'

const group = (client: string, name: string, changes: Record<string, string> = {}) =>
  groupSent(writtenPrograms[client]![name], changes)

const android = ['android-4.3', 'android-8.13']
const cocoa = ['cocoa-7.31', 'cocoa-9.26']
const original = ['dotnet-2.1', 'dotnet-6.9-original']
const readable = ['dotnet-3.41', 'dotnet-6.9-release']
const flutter = ['flutter-7.20', 'flutter-9.6']
const reactNative = ['react-native-4.15', 'react-native-8.2']
const unity = ['unity-3.2', 'unity-4.9']

const key = 'System.Collections.Generic.KeyNotFoundException'
const badAccess = 'EXC_BAD_ACCESS: Attempted to dereference'
const payment = 'PaymentException: payment of card-81 failed'
// biome-ignore format: one event a line
const events: readonly (readonly [clients: readonly string[], name: string, path: string, title: string, culprit: string])[] = [
  [android, 'chain', 'exception-stack', payment, 'com.shop.Checkout in pay'],
  [android, 'coroutine', 'exception-stack', 'NoSuchElementException: Key 4712 is missing in the map.', 'com.shop.Checkout in ship'],
  [android, 'withoutOwnFrames', 'exception-stack', 'BadTokenException: Unable to add window', 'android.view.ViewRootImpl in setView'],
  [cocoa, 'closure', 'exception-stack', `${badAccess} null pointer.`, 'Checkout.pay'],
  [cocoa, 'async', 'exception-stack', `${badAccess} garbage pointer at 0x10.`, 'Checkout.ship'],
  [cocoa, 'withoutOwnFrames', 'exception-stack', `${badAccess} garbage pointer at 0x20.`, 'objc_msgSend'],
  [original, 'chain', 'exception-stack', `Shop.${payment}`, 'Shop.Checkout in Pay'],
  [original, 'async', 'exception-stack', `${key}: The given key '4712' was not present in the dictionary.`, 'Shop.Checkout in Ship.lambda'],
  [original, 'local', 'exception-stack', 'System.InvalidOperationException: the cart is closed', 'Shop.Checkout in Check'],
  [readable, 'chain', 'exception-stack', `Shop.${payment}`, 'Checkout in Pay'],
  [readable, 'async', 'exception-stack', `${key}: The given key '4712' was not present in the dictionary.`, 'Checkout in Ship'],
  [readable, 'local', 'exception-stack', 'System.InvalidOperationException: the cart is closed', 'Checkout in Check'],
  [readable, 'withoutOwnFrames', 'exception-stack', "System.Text.Json.JsonException: '<' is an invalid start of a value. Path: $ | LineNumber: 0 | BytePositionInLine: 0.", 'ThrowHelper in ReThrowWithPath'],
  [flutter, 'closure', 'exception-stack', 'StateError: Bad state: No element', 'checkout.dart in Checkout.pay.<anonymous closure>'],
  [flutter, 'async', 'exception-stack', 'StateError: Bad state: no address of customer 17', 'checkout.dart in Checkout.ship'],
  [flutter, 'withoutOwnFrames', 'exception-stack', 'FlutterError: setState() called after dispose()', 'framework.dart in State.setState'],
  [flutter, 'addresses', 'exception-stack', 'StateError: Bad state: No element', 'libapp.so+0x2a80'],
  [reactNative, 'async', 'exception-stack', 'Error: no address of customer 17', 'checkout.ts in ship'],
  [unity, 'exception', 'exception-stack', 'System.NullReferenceException: Object reference not set to an instance of an object.', 'Cart in Load'],
  [unity, 'log', 'thread-stack', 'the cart is closed', 'Cart in Pay.lambda'],
  ...[android, cocoa, original, readable, flutter, reactNative, unity].map(
    (clients) => [clients, 'message', 'message', 'stock of 3 items is low', ''] as const,
  ),
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

test.each([
  [reactNative, 'closure'],
  [cocoa, 'error'],
  [cocoa, 'otherError'],
  [android, 'otherWithoutOwnFrames'],
])('%j: one issue for %s, although the text differs', (clients, name) => {
  const hashes = new Set(clients.map((client) => group(client, name).hashes[0].hash))
  expect([...hashes]).toHaveLength(1)
})

test.each(Object.keys(writtenPrograms))('%s: different errors are different issues', (client) => {
  const names = Object.keys(writtenPrograms[client]!)
  const hashes = names.flatMap((name) => [
    ...new Set(group(client, name).hashes.map(({ hash }) => hash)),
  ])
  expect(new Set(hashes).size).toBe(hashes.length)
})

test.each(Object.keys(writtenPrograms))('%s: another value is no other issue', (client) => {
  const changes = { 'card-81': 'card-82', 4712: '4713', 'customer 17': 'customer 18' }
  for (const name of Object.keys(writtenPrograms[client]!)) {
    const { hash } = group(client, name).hashes[0]
    expect([name, group(client, name, changes).hashes[0].hash]).toEqual([name, hash])
  }
})

test('an exception that Unity logged on the web has the title of the exception', () => {
  expect(group('unity-4.9-web', 'webException').title).toBe(
    'NullReferenceException: Object reference not set to an instance of an object.',
  )
})
