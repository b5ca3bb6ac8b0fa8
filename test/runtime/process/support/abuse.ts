/** Programs that try what a sandbox is there to stop; each says in words what it got. */
import { python } from './python.ts'

export const forkBomb = python`
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
`

export const memory = python`
held = []
while True:
    held.append(bytearray(64 << 20))
`

/** Each stays below what one process may take; together they do not. */
export const memoryOfMany = python`
import os, time
for _ in range(4):
    if os.fork() == 0:
        held = bytearray(b'x' * (300 << 20))
        time.sleep(30)
time.sleep(30)
`

export const endlessOutput = python`
import sys
while True:
    sys.stdout.write('x' * 65536)
`

export const endlessLoop = 'while True: pass'

export function reading(paths: readonly string[]): string {
  return python`
for path in ${JSON.stringify(paths)}:
    try:
        print(path, 'READ', open(path, 'rb').read(200))
    except OSError as error:
        print(path, 'refused')
`
}

export function writing(paths: readonly string[]): string {
  return python`
for path in ${JSON.stringify(paths)}:
    try:
        open(path, 'w').write('x')
        print(path, 'WRITTEN')
    except OSError as error:
        print(path, 'refused')
`
}

export function connecting(port: number): string {
  return python`
import socket
try:
    socket.create_connection(('127.0.0.1', ${port}), 2)
    print('CONNECTED')
except OSError as error:
    print('refused')
`
}

/** Two forks, a session of its own, every descriptor closed, environment wiped: then it sleeps under a name that we know. */
export function leavingBehind(seconds: string): string {
  return python`
import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 100)
        os.execve('/bin/sleep', ['sleep', '${seconds}'], {})
    os._exit(0)
os.wait()
print('left')
`
}

export function linking(target: string): string {
  return python`
import os, tempfile
link = os.path.join(tempfile.gettempdir(), 'link')
os.symlink(${JSON.stringify(target)}, link)
try:
    print('READ', os.listdir(link))
except OSError as error:
    print('refused')
`
}

export const deepFolders = python`
import os
os.symlink('/', 'root')
os.makedirs('closed/inside')
os.chmod('closed', 0)
for _ in range(200):
    os.mkdir('a' * 50)
    os.chdir('a' * 50)
`

export const environment = python`
import os
print(sorted(os.environ.keys()), os.environ)
`
