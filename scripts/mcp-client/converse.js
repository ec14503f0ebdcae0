// Plays conversations with MCP servers through the official client. Each line of
// standard input is one order, and is answered by one line:
//   {"connect": NAME, "command": PATH, "args": [...], "env": {...}}   over stdio
//   {"connect": NAME, "url": URL, "token": TOKEN}                     over streamable HTTP
//   {"call": NAME, "tool": TOOL, "arguments": {...}, "patience": MS}   which cancels the call after MS, 0 for never
//   {"close": NAME}
// The client checks answers against the tools' output schemas by itself, as it has
// listed the tools.
"use strict";

const readline = require("node:readline");
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");

const clients = new Map();

async function obey(order) {
  if (order.connect) {
    const transport = order.url
      ? new StreamableHTTPClientTransport(new URL(order.url), { requestInit: { headers: { Authorization: `Bearer ${order.token}` } } })
      : new StdioClientTransport({ command: order.command, args: order.args, env: order.env, stderr: "inherit" });
    const client = new Client({ name: "conversation", version: "1" });
    await client.connect(transport);
    clients.set(order.connect, client);
    const { tools } = await client.listTools();
    return { server: client.getServerVersion().name, instructions: client.getInstructions(), tools: tools.map((tool) => tool.name) };
  }
  if (order.call) {
    const signal = order.patience ? AbortSignal.timeout(order.patience) : undefined;
    let result;
    try {
      result = await clients.get(order.call).callTool({ name: order.tool, arguments: order.arguments }, undefined, { signal });
    } catch (error) {
      if (!signal?.aborted) throw error;
      return { gaveUp: true };
    }
    return { isError: result.isError === true, structured: result.structuredContent, text: result.content.map((part) => part.text).join("") };
  }
  await clients.get(order.close).close();
  clients.delete(order.close);
  return {};
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let answer;
    try {
      answer = await obey(JSON.parse(line));
    } catch (error) {
      answer = { failed: `${error.name}: ${error.message}` };
    }
    process.stdout.write(JSON.stringify(answer) + "\n");
  }
  for (const client of clients.values()) await client.close();
}

main();
