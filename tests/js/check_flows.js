// node check_flows.js FILE: lays out every flow of a JSON file, {name: {nodes, edges}}, and prints what is untrue in
// the pictures.
import { readFileSync } from "node:fs";
import { layout } from "../../static/js/graph/layout.js";
import { untruePaths } from "./untrue_paths.js";

const flows = Object.entries(JSON.parse(readFileSync(process.argv[2], "utf8")));
const faults = flows.flatMap(([flow, { nodes, edges }]) => untruePaths(layout(nodes, edges)).map(fault => `${flow}: ${fault}`));
console.log(JSON.stringify({ flows: flows.length, faults }));
