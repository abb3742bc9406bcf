import { expect, test } from 'vitest'
import { formatSupervisorArguments, readSupervisorArguments } from './supervisor-arguments.ts'

const none = { mailboxDir: undefined, probePort: undefined }

test('formatted arguments are parsed back', () => {
  const given = { mailboxDir: '/a folder/--mailbox', probePort: 10_001 }
  expect(readSupervisorArguments(formatSupervisorArguments(given))).toEqual(given)
  expect(readSupervisorArguments(formatSupervisorArguments({}))).toEqual(none)
})

test.each([
  [[]],
  [['--mailbox-dir']],
  [['--mailbox-dir=']],
  [['MAILBOX_DIR=/mail', '--verbose', 'x']],
])('%j contains no supervisor arguments', (args) => {
  expect(readSupervisorArguments(args)).toEqual(none)
})
