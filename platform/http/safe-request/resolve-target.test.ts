/** The resolver against a name server on loopback. */
import { createSocket, type Socket } from 'node:dgram'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHostResolver, resolveTarget } from './resolve-target.ts'
import { targetSettings } from './target-url.ts'

const [typeA, typeAaaa, noError, serverFailure, noName] = [1, 28, 0, 2, 3]
const ipv4 = Buffer.from([8, 8, 8, 8])
const ipv6Inside = Buffer.from('fd000000000000000000000000000001', 'hex')

let server: Socket
let servers: readonly string[]
const asked: string[] = []

beforeAll(async () => {
  server = createSocket('udp4')
  server.on('message', (query, { port }) => server.send(answerTo(query), port, '127.0.0.1'))
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve))
  servers = [`127.0.0.1:${server.address().port}`]
})
afterAll(() => server.close())

/** RFC 1035 §4.1, for a query of one name. */
function answerTo(query: Buffer): Buffer {
  let at = 12
  const labels: string[] = []
  while (query[at] !== 0) {
    labels.push(query.toString('ascii', at + 1, at + 1 + query[at]!))
    at += 1 + query[at]!
  }
  const type = query.readUInt16BE(at + 1)
  const name = labels.join('.')
  asked.push(`${name} ${type}`)
  const data = dataOf(name, type)
  const code = name === 'missing.test' ? noName : name === 'broken.test' ? serverFailure : noError
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(data === undefined ? 0 : 1, 6)
  const question = query.subarray(12, at + 5)
  if (data === undefined) return Buffer.concat([header, question])
  const record = Buffer.alloc(12)
  record.writeUInt16BE(0xc00c, 0)
  record.writeUInt16BE(type, 2)
  record.writeUInt16BE(1, 4)
  record.writeUInt32BE(60, 6)
  record.writeUInt16BE(data.length, 10)
  return Buffer.concat([header, question, record, data])
}

function dataOf(name: string, type: number): Buffer | undefined {
  if (type === typeA && (name === 'both.test' || name === 'four.test')) return ipv4
  return type === typeAaaa && name === 'both.test' ? ipv6Inside : undefined
}

const none = targetSettings([])

test('addresses of both families are returned', async () => {
  const resolve = createHostResolver(none, servers)
  expect(await resolve('both.test')).toEqual(['8.8.8.8', 'fd00::1'])
  expect(await resolve('four.test')).toEqual(['8.8.8.8'])
})

test('a name without addresses has none, and a failing server is an error', async () => {
  const resolve = createHostResolver(none, servers)
  expect(await resolve('missing.test')).toEqual([])
  expect(await resolve('empty.test')).toEqual([])
  await expect(resolve('broken.test')).rejects.toThrow()
})

test('a name with one address inside is refused, and an address is not looked up', async () => {
  asked.length = 0
  const options = { resolve: createHostResolver(none, servers), settings: none }
  expect(await resolveTarget(new URL('https://both.test/'), options)).toMatchObject({
    kind: 'refused',
    rule: expect.stringContaining('unique local'),
  })
  expect(asked.sort()).toEqual([`both.test ${typeA}`, `both.test ${typeAaaa}`])
  expect(await resolveTarget(new URL('https://8.8.8.8/'), options)).toEqual({
    kind: 'ok',
    addresses: ['8.8.8.8'],
  })
  expect(asked).toHaveLength(2)
})
