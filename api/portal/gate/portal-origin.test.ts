import { expect, test } from 'vitest'
import { mayCall, ownOrigins } from './portal-origin.ts'

const listed = ['https://app.example.com']

// biome-ignore format: the columns are the point
test.each([
  ['the page by the address it was started with ', 'http://127.0.0.1:8031', 'http://127.0.0.1:8031', true],
  ['by another name of this machine             ', 'http://127.0.0.1:8031', 'http://localhost:8031', true],
  ['another port of this machine                ', 'http://127.0.0.1:8031', 'http://localhost:8032', false],
  ['the page where it is public                 ', 'https://ideas.example.com/', 'https://ideas.example.com', true],
  ['which has no other names                    ', 'https://ideas.example.com/', 'http://localhost', false],
  ['nor another scheme                          ', 'https://ideas.example.com/', 'http://ideas.example.com', false],
] as const)('%s', (_name, apiUrl, origin, want) => {
  expect(mayCall(origin, listed, ownOrigins(apiUrl))).toBe(want)
})
