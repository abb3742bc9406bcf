/**
 * Decides which frames are the user's own code when the client did not say: lists of paths and
 * modules of runtimes and installed packages by platform. Everything else is in-app, except native
 * frames of which neither the image nor the path is known. Part of g1,
 * data included: a change of any hash must be meant.
 */
import type { Frame } from '../../normalize/event.ts'
import { cleanNativeFunction } from './clean-native-function.ts'
import type { ImageLookup } from './native-frame.ts'
import type { PlatformFamily } from './platform-family.ts'
import { remember } from './remember.ts'
import { isRuntimeImpl } from './rust-names.ts'

// cspell:ignore combase dyld GLES libart libbinder libdl libflutter libglib libgobject libhwui
// cspell:ignore libm libswift libunwind libutils msvcp odex Postgrex skypack Supervis ucrtbase
// cspell:ignore vcruntime

interface LibraryList {
  /** Substrings of the path, with forward slashes. */
  readonly paths: readonly string[]
  readonly modulePrefixes: readonly string[]
  readonly functionPrefixes: readonly string[]
}

// biome-ignore format: lists are read by eye
const libraries: Readonly<Record<PlatformFamily, LibraryList>> = {
  javascript: {
    paths: ['node_modules/', 'node:', 'bower_components/', 'internal/process/', 'internal/modules/', '-extension://', 'webpack/runtime/', 'webpack/bootstrap', '/~/', '//unpkg.com/', '//cdn.jsdelivr.net/', '//cdnjs.cloudflare.com/', '//esm.sh/', '//cdn.skypack.dev/', '//code.jquery.com/', '//ajax.googleapis.com/', '/chunk-vendors', '/vendors~', '/vendors-', '/vendors.', '/vendor-', '/vendor.'],
    modulePrefixes: ['node:'],
    functionPrefixes: [],
  },
  python: {
    paths: ['/site-packages/', '/dist-packages/', '/lib/python2.', '/lib/python3.', '/lib64/python3.', '/Python3', '<frozen '],
    modulePrefixes: ['importlib.', '_frozen_importlib'],
    functionPrefixes: [],
  },
  jvm: {
    paths: [],
    modulePrefixes: [
      'java.', 'javax.', 'jakarta.', 'jdk.', 'sun.', 'com.sun.', 'kotlin.', 'kotlinx.', 'scala.', 'groovy.', 'clojure.',
      'android.', 'androidx.', 'dalvik.', 'libcore.', 'com.android.', 'com.google.', 'org.springframework.', 'org.apache.', 'org.hibernate.', 'org.eclipse.',
      'org.jboss.', 'org.glassfish.', 'org.junit.', 'org.mockito.', 'org.slf4j.', 'org.codehaus.', 'org.gradle.', 'org.postgresql.', 'com.mysql.',
      'ch.qos.logback.', 'com.fasterxml.', 'com.zaxxer.', 'com.squareup.', 'okhttp3.', 'okio.', 'retrofit2.', 'io.netty.', 'io.reactivex.',
      'io.micronaut.', 'io.quarkus.', 'io.vertx.', 'io.ktor.', 'io.grpc.', 'reactor.', 'rx.', 'akka.', 'play.', 'net.bytebuddy.', 'net.sf.cglib.',
      'org.aspectj.', 'freemarker.', 'feign.', 'lombok.', 'io.sentry.',
    ],
    functionPrefixes: [],
  },
  php: {
    paths: ['/vendor/', '[internal]', '/wp-includes/', '/wp-admin/'],
    modulePrefixes: [],
    functionPrefixes: [],
  },
  ruby: {
    paths: ['/gems/', '/lib/ruby/', '/vendor/bundle/', '/vendor/ruby/', '<internal:', '/bin/bundle'],
    modulePrefixes: [],
    functionPrefixes: [],
  },
  csharp: {
    paths: ['/_/src/'],
    modulePrefixes: ['System.', 'Microsoft.', 'Mono.', 'Newtonsoft.', 'Npgsql.', 'Serilog.', 'NLog.', 'Dapper.', 'MediatR.', 'Autofac.', 'Grpc.', 'UnityEngine.', 'UnityEditor.', 'Windows.', 'Interop.', 'Internal.', 'Sentry.', 'FSharp.'],
    functionPrefixes: ['System.', 'Microsoft.', 'Interop.', 'UnityEngine.', 'UnityEditor.'],
  },
  native: {
    paths: [
      '/usr/lib/', '/usr/lib64/', '/lib/x86_64', '/lib/aarch64', '/lib64/', '/System/Library/', '/usr/include/', '/Library/Developer/', '/system/lib', '/apex/', '/vendor/lib',
      'libsystem_', 'libdispatch', 'libobjc', 'libc.so', 'libpthread', 'libstdc++', 'libc++', 'linux-gate', 'linux-vdso', 'ld-linux', ':/Windows/', 'ntdll', 'kernel32', 'KERNELBASE',
      '.app/Frameworks/libswift', '/Sentry.framework/', 'libart.so', 'libandroid_runtime.so', 'libhwui.so', 'libflutter.so', 'libbinder.so', 'libutils.so', 'libEGL', 'libGLES', 'boot.oat', 'boot-framework.oat', 'base.odex', 'user32.', 'win32u.', 'ucrtbase', 'vcruntime', 'msvcp', 'mfc140', 'combase.', 'libglib-2.0', 'libgobject-2.0', 'libgtk-', 'libQt5', 'libQt6', 'libm.so', 'libdl.so', 'libgcc_s', 'libunwind', '/library/std/src/', '/library/core/src/', '/library/alloc/src/',
      '/rustc/', '.cargo/registry/', '.cargo/git/', '/.rustup/', '/usr/src/debug/', '.framework/Versions/',
    ],
    modulePrefixes: ['std::', 'core::', 'alloc::'],
    functionPrefixes: ['std::', 'core::', 'alloc::', '__gnu_cxx::', 'boost::', 'tokio::', 'futures_util::', 'futures_core::', 'hyper::', 'tower::', 'actix_', 'rayon::', 'backtrace::', 'anyhow::', 'sentry', '<alloc::', '<core::', '<std::', '<tokio::'],
  },
  go: {
    paths: ['/go/pkg/mod/', '/pkg/mod/', '/vendor/', '/usr/local/go/src/', '/usr/lib/go', '/libexec/src/', '/go/src/runtime/'],
    modulePrefixes: ['runtime', 'net/http', 'encoding/', 'database/sql', 'github.com/getsentry/', 'golang.org/x/', 'google.golang.org/'],
    functionPrefixes: [],
  },
  other: {
    paths: ['/deps/', 'dart:', 'package:flutter/', '/usr/lib/', '/site-packages/', '/node_modules/', '/vendor/'],
    modulePrefixes: ['dart:', 'Elixir.Phoenix', 'Elixir.Plug', 'Elixir.Ecto', 'Elixir.GenServer', 'Elixir.Bandit', 'Elixir.ThousandIsland', 'Elixir.Task.Supervis', 'Elixir.DBConnection', 'Elixir.Postgrex', 'Elixir.Oban', 'Elixir.Sentry', 'Elixir.Enum', 'proc_lib', 'gen_server', 'gen_statem', 'cowboy', 'ranch'],
    functionPrefixes: [],
  },
}

/**
 * True for the script of a library on a page: clients in browsers say in-app of all frames, because
 * they know no more than its address.
 */
export const isLibraryScript = remember((path) => {
  const slashed = path.includes('\\') ? path.replaceAll('\\', '/') : path
  return libraries.javascript.paths.some((part) => slashed.includes(part))
})

/** True for Python's own modules, which older clients call in-app. */
export const isStandardPython = remember((path) =>
  /[\\/]lib(?:64)?[\\/]python\d(?:\.\d{1,3})?[\\/](?!(?:site|dist)-packages[\\/])/i.test(path),
)

/** The entry of the lists that makes this a library frame; empty for the user's own code. */
export function libraryRule(family: PlatformFamily, frame: Frame, images: ImageLookup): string {
  const list = libraries[family]
  const { module, function: name } = frame
  if (module !== undefined) {
    for (const prefix of list.modulePrefixes) if (module.startsWith(prefix)) return prefix
  }
  if (name !== undefined) {
    // `void std::invoke<…>` begins with what it returns.
    const start = family === 'native' && name.includes(' ') ? cleanNativeFunction(name) : name
    for (const prefix of list.functionPrefixes) if (start.startsWith(prefix)) return prefix
    if (family === 'native' && isRuntimeImpl(name)) return 'implementation of the runtime'
  }
  const path = pathOf(frame)
  if (path !== '') {
    for (const part of list.paths) if (path.includes(part)) return part
  }
  if (family !== 'native') return ''
  return nativeRule(frame.package || images.fileOf(frame.instruction_addr ?? ''), path)
}

/** Without a word of the image or the path, a frame may be of any library. */
function nativeRule(image: string, path: string): string {
  if (image === '') return path === '' ? 'no image and no path' : ''
  const imagePath = image.includes('\\') ? image.replaceAll('\\', '/') : image
  const file = imagePath.slice(imagePath.lastIndexOf('/') + 1)
  if (systemImages.has(file)) return file
  for (const part of libraries.native.paths) if (imagePath.includes(part)) return part
  return ''
}

/** Clients that send the bare name of the image. */
const systemImages = new Set([
  'UIKitCore',
  'UIKit',
  'AppKit',
  'Foundation',
  'CoreFoundation',
  'CoreGraphics',
  'CoreData',
  'CFNetwork',
  'QuartzCore',
  'SwiftUI',
  'Combine',
  'GraphicsServices',
  'HIToolbox',
  'WebKit',
  'JavaScriptCore',
  'AVFoundation',
  'Metal',
  'dyld',
  'dyld_sim',
  'linux-vdso.so.1',
])

function pathOf(frame: Frame): string {
  const path = frame.abs_path ?? frame.filename ?? ''
  return path.includes('\\') ? path.replaceAll('\\', '/') : path
}
