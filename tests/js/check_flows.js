// node check_flows.js FILE: lay out every flow of a JSON file, {name: {nodes, edges}}, and print what is untrue in the
// pictures, {flows: number, faults: [text]}.
import { readFileSync } from "node:fs";
import { layout } from "../../static/js/graph/layout.js";
import { untruePaths } from "./untrue_paths.js";

const flows = Object.entries(JSON.parse(readFileSync(process.argv[2], "utf8")));
const faults = flows.flatMap(([name, { nodes, edges }]) => {
  return untruePaths(layout(nodes, edges)).map(fault => `${name}: ${fault}`);
});
console.log(JSON.stringify({ flows: flows.length, faults }));
