/**
 * Results of an insert for each kind of ClickHouse failure, with a fake server whose answers the
 * test sets.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { DataRefusedError } from '../partitions/ports.ts'
import { insertRows } from './row-store.ts'

let server: Server
let clickhouse: ClickHouseClient
/** Absent: the connection is cut. */
let answer: { readonly code: number; readonly text: string } | undefined

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      if (answer === undefined) return request.socket.destroy()
      const { code, text } = answer
      response.writeHead(500, { 'X-ClickHouse-Exception-Code': String(code) })
      return response.end(`Code: ${code}. DB::Exception: ${text}. (SOME_NAME) (version 26.7.2)`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  clickhouse = createClickHouse(`http://default@127.0.0.1:${port}/sluice`, 'test')
})

afterAll(async () => {
  await clickhouse?.close()
  server?.closeAllConnections()
  server?.close()
})

async function insertError(): Promise<unknown> {
  const rows = Buffer.from('rows')
  return insertRows(clickhouse, { table: 'events', rows, token: 't' }).catch((error) => error)
}

// biome-ignore format: the columns are the point
test.each([
  ['bytes that are no date             ', 41,  'Cannot parse datetime',                                      'refused'],
  ['bytes that are no number           ', 27,  'Cannot parse input',                                         'refused'],
  ['bytes that are no quoted string    ', 26,  'Cannot parse quoted string',                                 'refused'],
  ['a value of another type            ', 53,  'Type mismatch in VALUES',                                    'refused'],
  ['rows that are no rows of the table ', 117, 'Incorrect data',                                             'refused'],
  ['a row that breaks a constraint     ', 469, 'Constraint `c` for table is violated',                     'refused'],
  ['too many partitions in one insert  ', 252, 'Too many partitions for single INSERT block (more than 100)', 'refused'],
  ['too many parts                     ', 252, 'Too many parts (3001). Merges are processing significantly slower than inserts', 'passes'],
  ['too many queries                   ', 202, 'Too many simultaneous queries',                              'passes'],
  ['no memory                          ', 241, 'Memory limit exceeded',                                      'passes'],
  ['a replica that is read only        ', 242, 'Table is in readonly mode',                                  'passes'],
  ['an insert with unknown result      ', 319, 'Unknown status, client must retry',                          'passes'],
  ['a truncated body                   ', 33,  'Cannot read all data',                                       'passes'],
] as const)('%s (%d)', async (_name, code, text, want) => {
  answer = { code, text }
  const error = await insertError()
  expect(error).toBeInstanceOf(Error)
  expect(error instanceof DataRefusedError ? 'refused' : 'passes').toBe(want)
})

test('a lost connection may be retried', async () => {
  answer = undefined
  const error = await insertError()
  expect(error).toBeInstanceOf(Error)
  expect(error).not.toBeInstanceOf(DataRefusedError)
})
