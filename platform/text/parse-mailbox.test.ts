import { expect, test } from 'vitest'
import { mailboxCharactersMax, parseMailbox } from './parse-mailbox.ts'

// biome-ignore format: the columns are the point
test.each([
  ['the default                       ', 'Sluice <sluice@localhost>', 'Sluice', 'sluice@localhost'],
  ['an address alone                  ', 'a@b.test', null, 'a@b.test'],
  ['an address alone on one host      ', 'sluice@mailhost', null, 'sluice@mailhost'],
  ['space around an address           ', ' a@b.test ', null, 'a@b.test'],
  ['brackets without a name           ', '<a@b.test>', null, 'a@b.test'],
  ['an empty name in quotes           ', '"" <a@b.test>', null, 'a@b.test'],
  ['a comma in quotes                 ', '"A, B" <a@b.test>', 'A, B', 'a@b.test'],
  ['a comma without quotes            ', 'A, B <a@b.test>', 'A, B', 'a@b.test'],
  ['escaped quotes within quotes      ', String.raw`"A \"B\" \\ C" <a@b.test>`, 'A "B" \\ C', 'a@b.test'],
  ['brackets within quotes            ', '"A <B>" <a@b.test>', 'A <B>', 'a@b.test'],
  ['a name that is not ASCII          ', 'Böll & Söhne <a@b.test>', 'Böll & Söhne', 'a@b.test'],
  ['no space before the bracket       ', 'Sluice<a@b.test>', 'Sluice', 'a@b.test'],
  ['space within the brackets         ', 'Sluice < a@b.test >', 'Sluice', 'a@b.test'],
  ['a domain that is not ASCII        ', 'Sluice <a@bücher.test>', 'Sluice', 'a@xn--bcher-kva.test'],
  ['a domain in upper case            ', 'Sluice <Ada@B.Test>', 'Sluice', 'Ada@b.test'],
] as const)('%s: %j', (_why, text, name, email) => {
  expect(parseMailbox(text)).toEqual({ kind: 'mailbox', mailbox: { name, email } })
})

const overlong = `${'n'.repeat(mailboxCharactersMax)} <a@b.test>`

// biome-ignore format: the columns are the point
test.each([
  ['nothing                           ', '', 'address'],
  ['a name alone                      ', 'Sluice', 'address'],
  ['a name without brackets           ', 'Sluice sluice@b.test', 'address'],
  ['empty brackets                    ', 'Sluice <>', 'address'],
  ['a bracket that is not closed      ', 'Sluice <a@b.test', 'address'],
  ['a bracket that is not opened      ', 'Sluice a@b.test>', 'form Name <address>'],
  ['text after the brackets           ', 'Sluice <a@b.test> (news)', 'address'],
  ['two addresses                     ', 'a@b.test, c@d.test', 'address'],
  ['two mailboxes                     ', 'A <a@b.test>, C <c@d.test>', 'name'],
  ['a quote that is not closed        ', '"Sluice <a@b.test>', 'name'],
  ['a quote that ends too early       ', '"A" B" <a@b.test>', 'name'],
  ['a backslash before the last quote ', String.raw`"A\" <a@b.test>`, 'name'],
  ['a second header                   ', 'Sluice\r\nBcc: x@y.test <a@b.test>', 'control'],
  ['a second header in the address    ', 'Sluice <a@b.test\nBcc: x@y.test>', 'control'],
  ['a line separator                  ', 'Sluice\u2028 <a@b.test>', 'control'],
  ['NUL                               ', 'Slu\0ice <a@b.test>', 'control'],
  ['half a surrogate pair             ', 'Slu\ud800ice <a@b.test>', 'Unicode'],
  ['a name that is too long           ', overlong, 'at most'],
  ['a local part that is not ASCII    ', 'Sluice <ö@b.test>', 'ASCII'],
  ['an IP address                     ', 'Sluice <a@127.0.0.1>', 'IP address'],
  ['two @                             ', 'Sluice <a@b@c.test>', 'only one @'],
  ['a label that ends with a hyphen   ', 'Sluice <a@host->', 'domain'],
] as const)('%s is invalid: %j', (_why, text, rule) => {
  expect(parseMailbox(text)).toEqual({ kind: 'invalid', rule: expect.stringContaining(rule) })
})
