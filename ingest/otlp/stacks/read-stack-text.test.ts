/** Stack traces as the runtimes of the languages print them. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readStackText } from './read-stack-text.ts'

const javaScript = `TypeError: cart is null
    at addItem (/srv/shop/cart.js:12:7)
    at async Promise.all (index 0)
    at async Object.handle [as run] (file:///srv/shop/server.js:40:3)
    at new Shop (webpack://shop/src/shop.ts:3:1)
    at /srv/shop/main.js:1:1
    at <anonymous>`

const firefox = `addItem@https://shop.test/cart.js:12:7
handle/<@https://shop.test/app.js:40:3
@https://shop.test/app.js:1:1`

const python = `Traceback (most recent call last):
  File "/srv/shop/disk.py", line 3, in write
    raise OSError("no disk")
OSError: no disk

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/shop/main.py", line 20, in <module>
    main()
    ^^^^^^
  File "/srv/shop/cart.py", line 9, in add
    raise shop.errors.CartError("late") from error
shop.errors.CartError: late: it is`

const java = `shop.CartException: late
	at app//shop.Cart.add(Cart.java:12) ~[shop.jar:1.0]
	at java.base/java.lang.Thread.run(Thread.java:833)
	at jdk.internal.reflect.Native.invoke0(Native Method)
	Suppressed: java.lang.IllegalStateException: closing
		at shop.Disk.close(Disk.java:99)
Caused by: java.io.IOException: no disk
	at shop.Disk$1.write(Disk.java:7)
	... 2 more`

const dotnet = `Shop.CartException: late
 ---> System.IO.IOException: no disk
   at Shop.Disk.Write(String path) in /srv/shop/Disk.cs:line 7
   --- End of inner exception stack trace ---
   at Shop.Cart.Add(Int32 id, String name) in /srv/shop/Cart.cs:line 12
   at Program.<Main>$(String[] args)`

const go = `goroutine 1 [running]:
example.test/shop/cart.(*Cart).Add(0xc000010000, {0x1, 0x2})
	/srv/shop/cart/cart.go:12 +0x1d
main.main()
	/srv/shop/main.go:20 +0x2f
created by main.start in goroutine 7
	/srv/shop/main.go:5 +0x11`

const ruby = `/srv/shop/cart.rb:12:in \`add': late (CartError)
	from /srv/shop/main.rb:20:in 'block in Shop#run'
	from /srv/shop/main.rb:1`

const php = `CartException: late in /srv/shop/Disk.php:7
Stack trace:
#0 /srv/shop/Cart.php(12): Shop\\Disk->write('a', Array)
#1 [internal function]: Shop\\Cart->add()
#2 /srv/shop/index.php(3): array_map(Object(Closure), Array)
#3 {main}`

const rust = `   0: rust_begin_unwind
             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/std/src/panicking.rs:665:5
   1: shop::cart::add::h0123456789abcdef
             at ./src/cart.rs:12:9
   2: main`

const elixir = `    (shop 1.0.0) lib/shop/cart.ex:12: Shop.Cart.add/2
    (elixir 1.17.2) lib/enum.ex:987: Enum."-each/2-lists^foreach/1-0-"/2`

/** Each frame as `module function file:line:column`, outermost call first. */
function framesOf(text: string, platform: string): string[][] {
  return readStackText(text, platform).map(({ frames }) =>
    frames.map(({ module, function: name, filename, lineno, colno }) => {
      const place = [filename, lineno, colno].filter((part) => part !== undefined).join(':')
      return [module, name, place].filter(Boolean).join(' ')
    }),
  )
}

// biome-ignore format: the columns are the point
test.each([
  ['javascript', 'node', javaScript, [[
    '/srv/shop/main.js:1:1', 'new Shop webpack://shop/src/shop.ts:3:1', 'Object.handle /srv/shop/server.js:40:3',
    'Promise.all', 'addItem /srv/shop/cart.js:12:7',
  ]]],
  ['firefox', 'javascript', firefox, [[
    'https://shop.test/app.js:1:1', 'handle/< https://shop.test/app.js:40:3', 'addItem https://shop.test/cart.js:12:7',
  ]]],
  ['python', 'python', python, [
    ['write /srv/shop/disk.py:3'],
    ['/srv/shop/main.py:20', 'add /srv/shop/cart.py:9'],
  ]],
  ['java', 'java', java, [
    ['shop.Disk$1 write Disk.java:7'],
    ['jdk.internal.reflect.Native invoke0', 'java.lang.Thread run Thread.java:833', 'shop.Cart add Cart.java:12'],
  ]],
  ['dotnet', 'csharp', dotnet, [
    ['Shop.Disk Write /srv/shop/Disk.cs:7'],
    ['Program <Main>$', 'Shop.Cart Add /srv/shop/Cart.cs:12'],
  ]],
  ['go', 'go', go, [['main main /srv/shop/main.go:20', 'example.test/shop/cart (*Cart).Add /srv/shop/cart/cart.go:12']]],
  ['ruby', 'ruby', ruby, [['/srv/shop/main.rb:1', 'block in Shop#run /srv/shop/main.rb:20', 'add /srv/shop/cart.rb:12']]],
  ['php', 'php', php, [[
    '/srv/shop/index.php:3', 'array_map', 'Shop\\Cart->add /srv/shop/Cart.php:12', 'Shop\\Disk->write /srv/shop/Disk.php:7',
  ]]],
  ['rust', 'rust', rust, [[
    'main', 'shop::cart::add ./src/cart.rs:12:9',
    'rust_begin_unwind /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/std/src/panicking.rs:665:5',
  ]]],
  ['elixir', 'elixir', elixir, [['Enum."-each/2-lists^foreach/1-0-"/2 lib/enum.ex:987', 'Shop.Cart.add/2 lib/shop/cart.ex:12']]],
] as const)('%s', (_name, platform, text, want) => {
  expect(framesOf(text, platform)).toEqual(want)
})

// biome-ignore format: the columns are the point
test.each([
  ['python', python, ['OSError: no disk', 'shop.errors.CartError: late: it is']],
  ['java',   java,   ['java.io.IOException: no disk', 'shop.CartException: late']],
  ['csharp', dotnet, ['System.IO.IOException: no disk', 'Shop.CartException: late']],
] as const)('%s: causes first, each with its type and text', (platform, text, want) => {
  expect(readStackText(text, platform).map(({ type, value }) => `${type}: ${value}`)).toEqual(want)
})

test('source lines of Python are kept with their frames, markers below them are not', () => {
  const frames = readStackText(python, 'python').at(-1)?.frames
  expect(frames?.map(({ context_line }) => context_line)).toEqual([
    '    main()',
    '    raise shop.errors.CartError("late") from error',
  ])
})

test.each([
  ['python', python],
  ['java', java],
  ['go', go],
  ['node', javaScript],
  ['php', php],
  ['csharp', dotnet],
])('the language of a %s stack is detected when the sender does not name it', (platform, text) => {
  expect(readStackText(text, 'other')).toEqual(readStackText(text, platform))
})

test('text that is no stack gives no frames', () => {
  for (const text of ['', 'late', 'a\nb\nc', '    at home', ':::', '#0']) {
    expect(readStackText(text, 'other')).toEqual([])
  }
})

test('hostile text is parsed in bounded time and never throws', () => {
  const pieces = fc.constantFrom(
    ...[
      'at ',
      '(',
      ')',
      ':1',
      ':1:2',
      'File "',
      '", line 3',
      ' in ',
      '@',
      '#0 ',
      '\n',
      '\t',
      ' ',
      'a.b',
    ],
    ...[
      'Caused by: ',
      ' ---> ',
      'goroutine 1 [',
      '--- End of inner exception stack trace ---',
      '/',
      '.go:1',
    ],
  )
  const text = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(''))
  const platforms = fc.constantFrom('node', 'python', 'java', 'csharp', 'go', 'ruby', 'php', 'rust')
  const property = fc.property(text, platforms, (one, platform) => {
    expect(() => readStackText(one, platform)).not.toThrow()
    readStackText(one, 'other')
  })
  fc.assert(property, { seed: 20_261_121, numRuns: 500 })
})

test.each(['at ', 'a(', ' (', ':1', 'a:', '(1): ', ' in ', 'File "', '\t', '0: ', 'a.', '@'])(
  'a megabyte of %j is one walk for every language',
  (piece) => {
    const line = piece.repeat(Math.ceil(2000 / piece.length))
    const text = `${line}\n`.repeat(500)
    const platforms = ['node', 'python', 'java', 'csharp', 'go', 'ruby', 'php', 'rust', 'elixir']
    // A backtracking pattern would take hours, so the runner's timeout detects it.
    for (const platform of [...platforms, 'other']) readStackText(text, platform)
  },
)
