import { exec } from 'child_process';
import * as fs from 'fs/promises';
import { readFileSync } from 'fs';
import { createConnection } from 'net';

export const shell = () => exec('ls');
export const write = () => fs.writeFile('a', 'b');
export const read = () => readFileSync('a');
export const http = () => fetch('x');
export const socket = () => createConnection(1) || new WebSocket('ws:');
export const env = () => process.env.HOME;
export const now = () => [Date.now(), new Date()];
export const not_now = (date: Date) => new Date(0);
export const random = () => Math.random() + crypto.randomUUID();
export const out = () => console.log('x');
export const local = (console: any, fetch: any) => [console.log, fetch()];
export const wasm = () => WebAssembly.compile;
