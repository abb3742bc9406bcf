import { describe, expect, test } from 'vitest'
import { readEnv } from '../env.ts'
import { readNatsUrls } from './nats-urls.ts'

// biome-ignore format: the columns are the point
test.each([
  ['one server             ', 'nats://a:4222',                         { servers: ['a:4222'], user: undefined, password: '', usesTls: false, credentialsFile: undefined }],
  ['credentials are decoded', 'nats://u:p%40ss@a:4222',                { servers: ['a:4222'], user: 'u', password: 'p@ss', usesTls: false, credentialsFile: undefined }],
  ['the first names the user', 'nats://u:p@a:1,nats://b:2',            { servers: ['a:1', 'b:2'], user: 'u', password: 'p', usesTls: false, credentialsFile: undefined }],
  ['a cluster              ', 'tls://u:p@a:1, tls://u:p@b:2,tls://u:p@[::1]:3', { servers: ['a:1', 'b:2', '[::1]:3'], user: 'u', password: 'p', usesTls: true, credentialsFile: undefined }],
  ['a file of credentials  ', 'tls://connect.example.com?credentials=/etc/sluice/nats.creds', { servers: ['connect.example.com'], user: undefined, password: '', usesTls: true, credentialsFile: '/etc/sluice/nats.creds' }],
] as const)('%s', (_name, urls, want) => {
  expect(readNatsUrls(urls)).toEqual(want)
})

describe('NATS_URL', () => {
  test('may list several servers', () => {
    const value = 'nats://u:p@a:1,nats://u:p@b:2'
    expect(readEnv(['NATS_URL'], { NATS_URL: value })).toEqual({ NATS_URL: value })
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['another protocol  ', 'http://a:4222',                 /nats:\/\/user:password@host:port/],
    ['no URL            ', 'a:4222',                        /nats:\/\/user:password@host:port/],
    ['a comma too many  ', 'nats://a:4222,',                /nats:\/\/user:password@host:port/],
    ['different users   ', 'nats://u:p@a:1,nats://v:p@b:2', /same protocol, user and password/],
    ['a user too late   ', 'nats://a:1,nats://u:p@b:2',     /same protocol, user and password/],
    ['tls for one of two', 'nats://u:p@a:1,tls://u:p@b:2',  /same protocol, user and password/],
  ])('is rejected with the rule that it violates: %s', (_name, value, want) => {
    const read = () => readEnv(['NATS_URL'], { NATS_URL: value })
    expect(read).toThrow(/NATS_URL/)
    expect(read).toThrow(want)
  })
})
